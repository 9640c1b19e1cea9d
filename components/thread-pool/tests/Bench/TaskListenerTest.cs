using Perflab.Testing;
using Perflab.ThreadPools.Catga;

namespace Perflab.ThreadPools.Measured
{
    public sealed class TaskListenerTest
    {
        [Fact]
        public void ActivitiesAndEventsAreThereWhileSomebodyListens()
        {
            Assert.Null(CatgaActivities.Start(WorkPriority.Low));
            Assert.False(CatgaEvents.Log.IsEnabled());
            using (new TaskListener())
            {
                using var activity = CatgaActivities.Start(WorkPriority.Low);
                Assert.NotNull(activity);
                Assert.True(CatgaEvents.Log.IsEnabled());
            }

            Assert.Null(CatgaActivities.Start(WorkPriority.Low));
            Assert.False(CatgaEvents.Log.IsEnabled());
        }
    }
}
