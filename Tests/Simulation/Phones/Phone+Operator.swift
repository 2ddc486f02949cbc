import Domain
import Issuing
import OAuth

// What an operator does with the user (WireContract 9.7, 13.3).
extension Phone {
    private enum Act: String {
        case disabling, enabling, erasure
    }

    /// Erases the user, or disables them: from the answer on nothing of theirs passes.
    func end(erasing: Bool) async {
        for _ in 0..<8 {
            var plan = Deed.Plan(erasing ? .erasure : .disabling)
            plan.ends = [user]
            if await give(erasing ? .erasure : .disabling, plan) { return }
        }
    }

    /// Disables the user and enables them again: what they had before stays over.
    func suspend() async {
        // An order nobody heard of again may run when they are long enabled.
        var next = model.thing("user")
        var isDisabled = false
        // The command alone, as of a node that died with the rest undone.
        let isCutShort = world.dice.strikes(500)
        for attempt in 0..<8 where !isDisabled {
            var plan = Deed.Plan(.disabling)
            plan.ends = [user]
            plan.perhapsEnds = [next]
            isDisabled = isCutShort ? await disableAlone(plan) : await give(.disabling, plan)
            if isDisabled, attempt == 0 { next = model.thing("user") }
        }
        guard isDisabled else { return }
        if world.dice.strikes(400) { await look() }
        var isEnabled = false
        for _ in 0..<20 where !isEnabled {
            isEnabled = await give(.enabling, Deed.Plan(.enabling))
        }
        guard isEnabled else {
            // One of the orders may have been carried out: what their keys open proves nothing.
            keys = []
            isLost = true
            return
        }
        user = next
        for key in keys { key.comeBack(with: user, in: model) }
        leave()
        await look()
        // They read a mail first: the login is later than the enabling by any clock.
        await world.sleep(milliseconds: 2_000, on: clients.process)
        if !(await signIn()) { isLost = true }
    }

    private func disableAlone(_ plan: Deed.Plan) async -> Bool {
        let number = model.begin(plan)
        let stream = subject.stream
        let isDone = await clients.ask(installation.anyIssuer()) { node in
            await node.run(Subject.self, stream) { _ in .disable(.operator) }
        }
        model.end(number, isDone == true ? .passed : .unknown)
        return isDone == true
    }

    private func give(_ act: Act, _ plan: Deed.Plan) async -> Bool {
        let number = model.begin(plan)
        let (installation, subject) = (installation, subject)
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            guard let project = node.projects.all.first else { return .unknown }
            let users = SubjectAdministration(
                commands: node.commands,
                personalData: installation.personalData
            )
            return await Self.carryOut(
                act,
                on: subject,
                users,
                by: Order(
                    in: project,
                    by: Operator(name: "olga", role: .operate),
                    reason: "asked",
                    deadline: node.clock.deadline(inMilliseconds: 5000)
                )
            )
        }
        model.end(number, answer ?? .unknown)
        return answer == .passed
    }

    private static func carryOut(
        _ act: Act,
        on subject: SubjectID,
        _ users: SubjectAdministration,
        by order: Order
    ) async -> Deed.Answer {
        let carry =
            switch act {
            case .disabling: users.disable
            case .enabling: users.enable
            case .erasure: users.erase
            }
        do throws(OperationError) {
            _ = try await carry(subject, order)
            return .passed
        } catch {
            if case .store = error { return .unknown }
            return .refused(.conflict)
        }
    }
}
