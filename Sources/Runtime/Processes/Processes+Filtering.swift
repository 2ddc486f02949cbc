internal import CLinux
import Glibc

extension Processes {
    /// Why a filter gave nothing.
    package enum FilterFailure: Error, Hashable, CustomStringConvertible {
        /// It could not be started, or not be heard.
        case system(SystemError)
        /// It ended otherwise than with 0.
        case ended(ChildProcess.End)
        /// It took too long, and was killed.
        case late
        /// It said more than was asked for.
        case long

        /// One line, to stand behind the program's name.
        package var description: String {
            switch self {
            case .system(let error): "cannot be run: \(error)"
            case .ended(.exited(let code)): "ended with status \(code)"
            case .ended(.signalled(let signal)): "was ended by signal \(signal)"
            case .late: "took too long and was killed"
            case .long: "wrote more than was asked for"
            }
        }
    }

    /// What a filter may be given: a pipe takes that much at once.
    package static let filterInputMax = 4096

    /// What a child writes to standard output when it is given `input`, which ends there, as its
    /// standard input; blocking, for as long as `time`.
    ///
    /// Its standard error is ours. A child that is late or says more than `bytesMax` is killed with
    /// what it has started; one that cannot be killed is left.
    package static func filter(
        _ input: Secret,
        through command: ChildCommand,
        bytesMax: Int,
        within time: Duration
    ) throws(FilterFailure) -> Secret {
        precondition(input.count <= filterInputMax, "more than a pipe takes at once")
        let end = MonotonicInstant.now().advanced(by: time)
        let (child, output) = try started(command, input)
        defer { close(output) }
        do throws(FilterFailure) {
            let content = try content(of: output, bytesMax: bytesMax, until: end)
            guard let ended = child.waitBlocking(until: end) else { throw .late }
            guard ended == .exited(0) else { throw .ended(ended) }
            return content
        } catch {
            child.killGroup()
            _ = child.waitBlocking(until: .now().advanced(by: .seconds(1)))
            throw error
        }
    }

    private static func started(_ command: ChildCommand, _ input: Secret)
        throws(FilterFailure) -> (ChildProcess, output: Int32)
    {
        var command = command
        command.leadsGroup = true
        let given = try pipe()
        defer { close(given.read) }
        // The child reads what is in the pipe already, and then its end.
        let count = input.withBytes { span in
            unsafe span.withUnsafeBytes { bytes in
                unsafe write(given.write, bytes.baseAddress, bytes.count)
            }
        }
        let error = SystemError.last("write")
        close(given.write)
        guard count == input.count else { throw .system(error) }
        let answer = try pipe()
        defer { close(answer.write) }
        do throws(SystemError) {
            let child = try start(command, input: given.read, output: answer.write, error: -1)
            return (child, answer.read)
        } catch {
            close(answer.read)
            throw .system(error)
        }
    }

    private static func pipe() throws(FilterFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe clinux_pipe(&ends) == 0 else { throw .system(.last("pipe2")) }
        return (ends[0], ends[1])
    }

    private static func content(
        of output: Int32,
        bytesMax: Int,
        until end: MonotonicInstant
    ) throws(FilterFailure) -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bytesMax + 1)
        defer { Secret.wipe(&bytes) }
        while isReadable(output, until: end) {
            var byte: UInt8 = 0
            let count = unsafe read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(.last("read")) }
            if count == 0 { return Secret(wiping: &bytes) }
            guard bytes.count < bytesMax else { throw .long }
            bytes.append(byte)
        }
        throw .late
    }

    /// Whether there is something to read, or an end, before `end`; blocks until then.
    static func isReadable(_ descriptor: Int32, until end: MonotonicInstant) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = end.since(.now()).clampedNanoseconds / 1_000_000
            let found = unsafe poll(&entry, 1, Int32(clamping: left + 1))
            if found > 0 { return true }
            if MonotonicInstant.now() >= end { return false }
        }
    }
}
