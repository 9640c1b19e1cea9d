using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Perflab.Testing;
using Perflab.ThreadPools.Catga;
using Perflab.ThreadPools.Contract;

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

        [Fact]
        public void EachTaskHasAnActivityOfItsOwnAndIsCountedByTheMetrics()
        {
            const int Tasks = 100;
            // A single worker: several lose counts, as CatgaMetricsTest shows.
            using var pool = new CatgaPool(new CatgaOptions { MinThreads = 1, EnableDynamicScaling = false });
            var activities = new ConcurrentQueue<Activity?>();
            using (new TaskListener())
            {
                Task[] tasks = Enumerable.Range(0, Tasks)
                    .Select(i => pool.RunAsync(() => activities.Enqueue(Activity.Current)))
                    .ToArray();
                Waiting.For(Task.WhenAll(tasks), "a task");
            }

            Assert.Equal(
                Enumerable.Repeat<string?>("ThreadPool.Task", Tasks), activities.Select(one => one?.OperationName));
            Assert.Equal(Tasks, activities.Distinct().Count());
            // Counted after the task has ended.
            Waiting.Until(() => pool.CompletedByItsMetrics == Tasks, () => $"{pool.CompletedByItsMetrics} were counted");
        }
    }
}
