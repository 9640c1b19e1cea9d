//! The specification of a supervisor, and the machine held against it.
//!
//! The specification is OTP's, written down as if each step took no time and nothing happened in between: a list of
//! children, and for each event what is stopped and what is started, in order. Proptest makes up
//! the histories, shrinks what differs, and drives the machine through a world that answers each command at once.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};

use super::backoff::Backoff;
use super::intensity::Intensity;
use super::machine::{Command, Key, Machine, Outcome};
use super::strategy::{Manner, Restart, Strategy};

const INTENSITY: Intensity = Intensity {
    restarts: 4,
    within: Duration::from_secs(10),
};

/// Something that happens. Children are chosen by their place in the list, counted around.
#[derive(Clone, Debug)]
enum Happening {
    /// A child that runs ends. Its next starts, this many, fail.
    Exit {
        place: usize,
        abnormal: bool,
        failing_starts: usize,
    },
    /// Two children end before the supervisor hears of either.
    Both {
        first: usize,
        second: usize,
    },
    /// Time passes, in seconds.
    Pass(u64),
    Stop,
}

/// What a supervisor does, children by their place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start(usize),
    Stop(usize),
    Retire(usize),
    Finish,
    GiveUp(usize),
}

#[derive(Clone, Copy, Debug)]
struct Member {
    name: usize,
    restart: Restart,
    up: bool,
}

/// The specification.
#[derive(Clone, Debug)]
struct Otp {
    strategy: Strategy,
    members: Vec<Member>,
    restarts: Vec<u64>,
    now: u64,
    over: bool,
    /// What the last happening led to.
    steps: Vec<Step>,
}

impl Otp {
    fn new(strategy: Strategy, first: &[Restart]) -> Self {
        let members: Vec<Member> = first
            .iter()
            .enumerate()
            .map(|(name, &restart)| Member {
                name,
                restart,
                up: true,
            })
            .collect();
        let steps = members.iter().map(|member| Step::Start(member.name)).collect();
        Self {
            strategy,
            members,
            restarts: Vec::new(),
            now: 0,
            over: false,
            steps,
        }
    }

    fn place(&self, place: usize) -> Option<usize> {
        (!self.members.is_empty()).then(|| place % self.members.len())
    }

    fn apply(&mut self, happening: &Happening) {
        self.steps.clear();
        if self.over {
            return;
        }
        match *happening {
            Happening::Exit {
                place,
                abnormal,
                failing_starts,
            } => {
                if let Some(place) = self.place(place).filter(|&place| self.members[place].up) {
                    let name = self.members[place].name;
                    if self.exit(name, abnormal) {
                        self.restart(name, failing_starts);
                    }
                }
            }
            Happening::Both { first, second } => self.both(first, second),
            Happening::Pass(seconds) => self.now += seconds,
            Happening::Stop => self.finish(Step::Finish),
        }
    }

    /// A failure that comes while another is dealt with is dealt with after it, unless the child was restarted by it.
    fn both(&mut self, first: usize, second: usize) {
        let (Some(first), Some(second)) = (self.place(first), self.place(second)) else {
            return;
        };
        if first == second || !self.members[first].up || !self.members[second].up {
            return;
        }
        let names = [self.members[first].name, self.members[second].name];
        let failed = names.map(|name| self.exit(name, true));
        if failed[0] {
            self.restart(names[0], 0);
        }
        if failed[1] && !self.over && self.member(names[1]).is_some_and(|member| !member.up) {
            self.restart(names[1], 0);
        }
    }

    /// Whether the child is to be restarted.
    fn exit(&mut self, name: usize, abnormal: bool) -> bool {
        let Some(member) = self.member(name) else { return false };
        member.up = false;
        match member.restart {
            Restart::Permanent => true,
            Restart::Transient if abnormal => true,
            Restart::Transient => {
                self.steps.push(Step::Retire(name));
                false
            }
        }
    }

    fn restart(&mut self, name: usize, mut failing_starts: usize) {
        let mut failed = Some(name);
        while let Some(name) = failed.take() {
            self.restarts
                .retain(|&then| self.now - then < INTENSITY.within.as_secs());
            if self.restarts.len() >= INTENSITY.restarts as usize {
                self.finish(Step::GiveUp(name));
                return;
            }
            self.restarts.push(self.now);
            let from = match self.strategy {
                Strategy::OneForAll => 0,
                _ => self.members.iter().position(|member| member.name == name).unwrap(),
            };
            let until = if self.strategy == Strategy::OneForOne {
                from + 1
            } else {
                self.members.len()
            };
            self.steps.extend(
                self.members[from..until]
                    .iter()
                    .rev()
                    .filter(|member| member.up)
                    .map(|m| Step::Stop(m.name)),
            );
            let group: Vec<usize> = self.members[from..until].iter().map(|m| m.name).collect();
            for &name in &group {
                self.member(name).unwrap().up = false;
            }
            for name in group {
                self.steps.push(Step::Start(name));
                if failing_starts > 0 {
                    failing_starts -= 1;
                    failed = Some(name);
                    break;
                }
                self.member(name).unwrap().up = true;
            }
        }
    }

    fn finish(&mut self, last: Step) {
        for member in self.members.iter().rev().filter(|member| member.up) {
            self.steps.push(Step::Stop(member.name));
            // Told to stop, it ends for good; having given up, it may be started again with all its children.
            self.steps
                .extend((last == Step::Finish).then_some(Step::Retire(member.name)));
        }
        self.members.iter_mut().for_each(|member| member.up = false);
        self.steps.push(last);
        self.over = true;
    }

    fn member(&mut self, name: usize) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.name == name)
    }
}

fn restart() -> impl Strategy_<Value = Restart> {
    prop_oneof![3 => Just(Restart::Permanent), 2 => Just(Restart::Transient)]
}

/// Proptest's strategies, which are something else.
use proptest::strategy::Strategy as Strategy_;

impl ReferenceStateMachine for Otp {
    type State = Self;
    type Transition = Happening;

    fn init_state() -> BoxedStrategy<Self> {
        let strategies = prop_oneof![
            Just(Strategy::OneForOne),
            Just(Strategy::OneForAll),
            Just(Strategy::RestForOne)
        ];
        (strategies, prop::collection::vec(restart(), 1..7))
            .prop_map(|(strategy, first)| Otp::new(strategy, &first))
            .boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Happening> {
        prop_oneof![
            6 => (0..8_usize, any::<bool>(), prop_oneof![4 => Just(0_usize), 1 => 1..6_usize])
                .prop_map(|(place, abnormal, failing_starts)| Happening::Exit { place, abnormal, failing_starts }),
            3 => (0..8_usize, 0..8_usize).prop_map(|(first, second)| Happening::Both { first, second }),
            4 => (0..8_u64).prop_map(Happening::Pass),
            1 => prop::bool::weighted(0.1).prop_map(|stop| if stop { Happening::Stop } else { Happening::Pass(20) }),
        ]
        .boxed()
    }

    fn apply(mut state: Self, happening: &Happening) -> Self {
        state.apply(happening);
        state
    }
}

/// The machine in a world in which every start and stop succeeds at once, or fails at once if it is told so.
struct World {
    machine: Machine,
    now: Duration,
    failing_starts: usize,
    steps: Vec<Step>,
}

impl World {
    fn new(otp: &Otp) -> Self {
        let mut machine = Machine::new(otp.strategy, INTENSITY, Backoff::None);
        for member in &otp.members {
            machine.add(member.restart);
        }
        let mut world = Self {
            machine,
            now: Duration::ZERO,
            failing_starts: 0,
            steps: Vec::new(),
        };
        world.run();
        world
    }

    fn run(&mut self) {
        while let Some(command) = self.machine.command() {
            match command {
                Command::Start(key) => {
                    self.steps.push(Step::Start(key));
                    if self.failing_starts > 0 {
                        self.failing_starts -= 1;
                        self.machine.exited(key, true, self.now);
                    } else {
                        self.machine.started(key, self.now);
                    }
                }
                Command::Stop(key, _) => {
                    self.steps.push(Step::Stop(key));
                    self.machine.exited(key, false, self.now);
                }
                Command::Wait(..) => panic!("there is no back-off"),
                Command::Retire(key) => self.steps.push(Step::Retire(key)),
                Command::Finish(Outcome::Exceeded(key)) => self.steps.push(Step::GiveUp(key)),
                Command::Finish(_) => self.steps.push(Step::Finish),
            }
        }
        self.failing_starts = 0;
    }

    fn exit(&mut self, before: &Otp, place: usize, abnormal: bool) {
        self.machine.exited(before.members[place].name, abnormal, self.now);
    }
}

/// A world and the specification as it was before the happening at hand, by which places are found.
struct Pair(World, Otp);

impl StateMachineTest for Pair {
    type SystemUnderTest = Self;
    type Reference = Otp;

    fn init_test(otp: &Otp) -> Self {
        let world = World::new(otp);
        assert_eq!(world.steps, otp.steps);
        Self(world, otp.clone())
    }

    fn apply(Self(mut world, before): Self, after: &Otp, happening: Happening) -> Self {
        world.steps.clear();
        if !before.over {
            match happening {
                Happening::Exit {
                    place,
                    abnormal,
                    failing_starts,
                } => {
                    if let Some(place) = before.place(place).filter(|&place| before.members[place].up) {
                        world.failing_starts = failing_starts;
                        world.exit(&before, place, abnormal);
                    }
                }
                Happening::Both { first, second } => {
                    if let (Some(first), Some(second)) = (before.place(first), before.place(second))
                        && first != second
                        && before.members[first].up
                        && before.members[second].up
                    {
                        world.exit(&before, first, true);
                        world.exit(&before, second, true);
                    }
                }
                Happening::Pass(seconds) => world.now += Duration::from_secs(seconds),
                Happening::Stop => world.machine.stop(Manner::Drain),
            }
        }
        world.run();
        assert_eq!(
            world.steps, after.steps,
            "after {happening:?} under {:?}",
            after.strategy
        );
        Self(world, after.clone())
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_machine_does_what_the_specification_says(sequential 1..40 => Pair);
}

/// The steps of a world that answers late, and in between lets any child end: no order of answers may lead to a state that the
/// supervisor does not come out of.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// To the command that is open.
    Prompt,
    /// This child, if it runs, ends.
    Crash(usize),
    /// The delay that is open longest is over.
    Elapse,
}

fn answers() -> impl Strategy_<Value = Vec<Answer>> {
    let answer = prop_oneof![
        6 => Just(Answer::Prompt),
        4 => (0..5_usize).prop_map(Answer::Crash),
        2 => Just(Answer::Elapse),
    ];
    prop::collection::vec(answer, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens in between: nothing is started that runs or stopped that does not, one at a time, and once all is
    /// answered every child runs. A stop at the end ends all of them.
    #[test]
    fn no_order_of_answers_leaves_a_child_behind(
        strategy in prop_oneof![Just(Strategy::OneForOne), Just(Strategy::OneForAll), Just(Strategy::RestForOne)],
        answers in answers(),
        delayed in any::<bool>(),
    ) {
        let second = Duration::from_secs(1);
        let backoff = if delayed {
            Backoff::Exponential { first: second, longest: second, settled: 10 * second }
        } else {
            Backoff::None
        };
        let mut machine = Machine::new(strategy, Intensity { restarts: u32::MAX, within: second }, backoff);
        let keys: Vec<Key> = (0..5).map(|_| machine.add(Restart::Permanent)).collect();
        while let Some(Command::Start(key)) = machine.command() {
            machine.started(key, Duration::ZERO);
        }
        let (mut up, mut open, mut delays) = (keys.clone(), None, VecDeque::new());
        let settle = std::iter::repeat_n([Answer::Prompt, Answer::Elapse], 60).flatten();
        for answer in answers.into_iter().chain(settle) {
            while let Some(command) = machine.command() {
                match command {
                    Command::Start(key) => prop_assert!(!up.contains(&key) && open.is_none(), "{command:?}"),
                    Command::Stop(key, _) => prop_assert!(up.contains(&key) && open.is_none(), "{command:?}"),
                    Command::Wait(key, delay) => delays.push_back((key, delay.ticket)),
                    _ => prop_assert!(false, "{command:?}"),
                }
                if matches!(command, Command::Start(_) | Command::Stop(..)) {
                    open = Some(command);
                }
            }
            match answer {
                Answer::Prompt => match open.take() {
                    Some(Command::Start(key)) => {
                        up.push(key);
                        machine.started(key, Duration::ZERO);
                    }
                    Some(Command::Stop(key, _)) => {
                        up.retain(|&other| other != key);
                        machine.exited(key, false, Duration::ZERO);
                    }
                    _ => {}
                },
                Answer::Crash(place) => {
                    let key = keys[place];
                    let starting = open == Some(Command::Start(key));
                    if up.contains(&key) || starting {
                        up.retain(|&other| other != key);
                        if starting || matches!(open, Some(Command::Stop(stopped, _)) if stopped == key) {
                            open = None;
                        }
                        machine.exited(key, true, Duration::ZERO);
                    }
                }
                Answer::Elapse => {
                    if let Some((key, ticket)) = delays.pop_front() {
                        machine.elapsed(key, ticket);
                    }
                }
            }
        }
        prop_assert!(up.len() == keys.len() && keys.iter().all(|key| up.contains(key)), "{machine:?}");
        machine.stop(Manner::Drain);
        let mut stopped = Vec::new();
        while let Some(command) = machine.command() {
            if let Command::Stop(key, Manner::Drain) = command {
                stopped.push(key);
                machine.exited(key, false, Duration::ZERO);
            }
        }
        prop_assert!(stopped.iter().rev().eq(&keys));
    }
}
