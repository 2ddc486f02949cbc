// @unchecked: touched by the one thread that runs the simulation.
/// What WireContract 7 promises of one login by link: who may approve it, and that it gives at
/// most one code, to the browser that asked.
final class LoginModel: @unchecked Sendable {
    enum Act: CaseIterable { case approve, complete }

    private struct Step {
        let number: Int
        let act: Act
        let isSameDevice: Bool
        let choice: Int
        let startedStep: Int
        let startedAt: UInt64
        var endedStep: Int?
        var answer: Visitor.Answer?
    }

    private let all: ClientModel
    private let client: String
    private var world: World { all.world }
    private var checks: Checks { all.checks }
    private var steps: [Step] = []
    /// The code that was given, if one was.
    private(set) var code: [UInt8]?
    /// Somebody asked for a mail and heard nothing: that request may be carried out at any time
    /// until its deadline, and ends the link of the one that was heard of (WireContract 7.1).
    private var mayBeSuperseded = false

    init(_ all: ClientModel, client: String) {
        self.all = all
        self.client = client
    }

    /// What the form that asks for a mail answered.
    func asked(_ answer: Visitor.Answer) {
        if answer == .unknown { mayBeSuperseded = true }
    }

    func begin(_ act: Act, isSameDevice: Bool, choice: Int) -> Int {
        all.loginSteps[act, default: 0] += 1
        steps.append(
            Step(
                number: steps.count,
                act: act,
                isSameDevice: isSameDevice,
                choice: choice,
                startedStep: world.steps,
                startedAt: world.nanoseconds
            )
        )
        return steps.count - 1
    }

    func end(_ number: Int, _ answer: Visitor.Answer) {
        steps[number].endedStep = world.steps
        steps[number].answer = answer
        // Its links and logins end with it (WireContract 9.7).
        if answer == .approved || isCode(answer),
            all.isDisabled(client, before: steps[number].startedStep)
        {
            checks.broken("I4", "a login of a client went on after it was disabled")
        }
        switch steps[number].act {
        case .approve: judgeApproval(steps[number], answer)
        case .complete: judgeCompletion(steps[number], answer)
        }
    }

    /// What the waiting page is told, which began to ask at `step`.
    func sees(_ answer: Visitor.Answer, since step: Int) {
        let approvals = steps.filter { $0.act == .approve && isAllowed($0) }
        if answer == .approved, approvals.isEmpty {
            checks.broken("I14", "a page is told of an approval that nobody gave")
        }
        let isApproved = approvals.contains {
            $0.answer == .approved && $0.endedStep ?? .max < step
        }
        if answer == .waiting, isApproved, !mayBeSuperseded {
            checks.broken("I22", "a page is not told that its login is approved")
        }
    }

    private func isCode(_ answer: Visitor.Answer) -> Bool {
        if case .code = answer { true } else { false }
    }

    /// Whether the policy of the client lets this one approve (WireContract 7.3).
    private func isAllowed(_ step: Step) -> Bool {
        if step.isSameDevice { return true }
        if client.utf8.elementsEqual("denying".utf8) { return false }
        if client.utf8.elementsEqual("confirming".utf8) { return step.choice == 1 }
        return true
    }

    private func judgeApproval(_ step: Step, _ answer: Visitor.Answer) {
        let others = steps.filter { $0.act == .approve && $0.number < step.number }
        // What was approved before stays approved, whoever asks (WireContract 7.4).
        let wasApproved = others.contains { isAllowed($0) }
        if answer == .approved, !isAllowed(step), !wasApproved {
            checks.broken("I14", "a login was approved by whom its policy forbids")
        }
        let mayBeOver = steps.contains {
            $0.startedStep < step.endedStep ?? .max && $0.number != step.number
        }
        // Where a clock was off by hours the link may have expired.
        let isTimely = !world.hasSteppedClock
        let isServed = !all.mayBeDisabled(client, before: step.endedStep)
        let isNewest = !mayBeSuperseded
        if answer == .refused, isAllowed(step), isNewest, !mayBeOver, isTimely, isServed {
            checks.broken("I22", "a good link was refused")
        }
    }

    private func judgeCompletion(_ step: Step, _ answer: Visitor.Answer) {
        let approvals = steps.filter {
            $0.act == .approve && isAllowed($0) && $0.startedStep < step.endedStep ?? .max
        }
        if case .code(let bytes) = answer {
            if !step.isSameDevice { checks.broken("I2", "another browser completed a login") }
            if approvals.isEmpty { checks.broken("I14", "a login without an approval") }
            if let code, code != bytes { checks.broken("I1", "a login gave two codes") }
            let isDenied = steps.contains {
                $0.answer == .wrongNumber && $0.endedStep ?? .max < step.startedStep
            }
            if isDenied { checks.broken("I14", "a login went on after a wrong number") }
            code = bytes
        }
        // Approved, never denied, and nobody has tried to complete it yet: it must go on.
        let isApproved = approvals.contains {
            $0.answer == .approved && $0.endedStep ?? .max < step.startedStep
        }
        let mayBeOver = steps.contains {
            $0.startedStep < step.endedStep ?? .max && $0.number != step.number
                && ($0.act == .complete && $0.isSameDevice || $0.act == .approve && $0.choice == 2)
        }
        let isRefused = answer == .refused || answer == .waiting
        let isServed = !all.mayBeDisabled(client, before: step.endedStep)
        if isRefused, isApproved, step.isSameDevice, !mayBeOver, isServed, !mayBeSuperseded,
            !world.hasSteppedClock
        {
            checks.broken("I22", "an approved login was refused")
        }
        if isRefused, step.isSameDevice, isServed, hasYoungCode(step),
            !world.hasSteppedClock
        {
            checks.broken("I22", "a button that gave a code gave none when it was pressed again")
        }
    }

    /// Whether the code had arrived before this step, and cannot be too old (decision 0128); nobody
    /// redeems it before the last step.
    private func hasYoungCode(_ step: Step) -> Bool {
        let presses = steps.filter { $0.act == .complete && $0.isSameDevice }
        let hasArrived = presses.contains {
            $0.answer.map(isCode) == true && $0.endedStep ?? .max < step.startedStep
        }
        let first = presses.map(\.startedAt).min() ?? 0
        return hasArrived && world.nanoseconds + all.slack < first + ClientModel.codeLife
    }
}
