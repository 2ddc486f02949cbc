import Runtime

/// A loop as one request's task sees it: each time the task waits or goes on is told.
final class VisitExecutor: TaskExecutor {
    private let loop: Loop
    private let visit: Visit

    init(_ loop: Loop, _ visit: Visit) {
        self.loop = loop
        self.visit = visit
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        visit.resumes()
        loop.post { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            visit.suspends()
        }
    }
}
