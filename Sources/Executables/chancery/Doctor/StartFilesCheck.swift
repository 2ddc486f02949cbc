import Assembly
import Configuration
import Runtime

/// The processes' own files, by the rules of the start list that settings can break.
///
/// They stand beside the operator's file; of one that is not there nothing is said.
struct StartFilesCheck: Sendable {
    private static let programs = ["token-issuer", "event-relay", "revocation-projector"]
    private static let bytesMax = 1 << 20

    /// With its slash.
    private let folder: String
    private let isInsecureDev: Bool

    init(beside path: String, isInsecureDev: Bool) {
        self.isInsecureDev = isInsecureDev
        folder = path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? ""
    }

    func diagnoses() -> [Diagnosis] {
        Self.programs.flatMap { program -> [Diagnosis] in
            let path = "\(folder)\(program).yaml"
            guard Files.exists(path) else { return [] }
            let bytes: [UInt8]
            do { bytes = try FileReading.bytes(at: path, bytesMax: Self.bytesMax) } catch {
                return [
                    .unseen("\(path) cannot be read: \(error)", "Run this as its owner.").of(15)
                ]
            }
            do throws(ConfigurationError) {
                let files = try Self.read(bytes, of: program, isInsecureDev: isInsecureDev)
                let kept = Self.seen(program).map { rule, sentence in
                    Diagnosis.ok("\(path): \(sentence)").of(rule)
                }
                return kept + Self.files(files.secretPaths, namedIn: path)
                    + Self.keyDirectory(files) + allowed(bytes, in: path, of: program)
            } catch {
                return error.findings.map { Self.diagnosis($0, in: path, of: program) }
            }
        }
    }

    /// What a file lacks may stand in the environment of its process, which only that one sees.
    private static func diagnosis(
        _ finding: Finding,
        in path: String,
        of program: String
    ) -> Diagnosis {
        let line = finding.line(in: path)
        let seen: Diagnosis =
            finding.kind == .missing
            ? .unseen("\(line); its unit may set it", "Ask \(program) --check as its unit runs it.")
            : .fault(line, "\(program) --check says the same.")
        return seen.of(rule(of: finding))
    }

    /// What a file keeps to that its program could read.
    private static func seen(_ program: String) -> [(rule: Int, sentence: String)] {
        let all = [(2, "its listeners"), (4, "its database"), (15, "every key is known")]
        return program == "token-issuer" ? all + [(13, "its mail relay")] : all
    }

    /// What only `--insecure-dev` allows of a file.
    private func allowed(_ bytes: [UInt8], in path: String, of program: String) -> [Diagnosis] {
        guard isInsecureDev else { return [] }
        do throws(ConfigurationError) {
            _ = try Self.read(bytes, of: program, isInsecureDev: false)
            return []
        } catch {
            return error.findings.map {
                Diagnosis.development($0.line(in: path)).of(Self.rule(of: $0))
            }
        }
    }

    /// Reads the file as its program does.
    private static func read(_ bytes: [UInt8], of program: String, isInsecureDev: Bool)
        throws(ConfigurationError) -> StartFiles
    {
        let document = try SettingsDocument(bytes, isInsecureDev: isInsecureDev)
        return switch program {
        case "token-issuer": try TokenIssuerSettings(document).startFiles
        case "event-relay": try EventRelaySettings(document).startFiles
        default: try RevocationProjectorSettings(document).startFiles
        }
    }

    private static func rule(of finding: Finding) -> Int {
        if finding.kind == .unknownKey { return 15 }
        let section = finding.path.prefix { $0 != "." && $0 != "[" }
        switch section {
        case "listen", "admin": return 2
        case "keys": return 3
        case "database": return 4
        case "kafka": return 8
        case "mail": return 13
        default: return 15
        }
    }

    private static func files(_ paths: [String], namedIn file: String) -> [Diagnosis] {
        let found = paths.map { path -> Diagnosis in
            do throws(FileReading.Failure) {
                _ = try FileReading.secret(at: path, bytesMax: bytesMax)
                return .ok("\(path) is private")
            } catch { return problem(error, path, file) }
        }
        return found.map { $0.of(3) }
    }

    /// Who may write there is a reason not to start; that nobody may is none: what is there can be
    /// read.
    ///
    /// Of another user's nothing is said but that others may write there.
    private static func keyDirectory(_ files: StartFiles) -> [Diagnosis] {
        guard let path = files.keyDirectory else { return [] }
        let isOurs = (try? FileReading.secret(at: "\(path)/salt", bytesMax: bytesMax)) != nil
        for stranger in FileReading.strangers(at: path) {
            switch stranger {
            case .others:
                return [.fault("\(path) can be written by others", "chmod go-w \(path)").of(3)]
            case .owner(let number) where isOurs:
                let sentence = "\(path) belongs to user \(number), who may change the keys in it"
                return [.fault(sentence, "chown it to the user of token-issuer.").of(3)]
            case .owner: break
            }
        }
        guard isOurs else { return [] }
        guard FileWriting.canMakeFiles(in: path) else {
            return [
                .warning(
                    "\(path) cannot be written, so this issuer can make no key",
                    "Let its owner write there: chmod 700 \(path); is its disk mounted read-only?"
                )
            ]
        }
        return [.ok("\(path) takes new keys")]
    }

    private static func problem(_ why: FileReading.Failure, _ path: String, _ file: String)
        -> Diagnosis
    {
        switch why {
        case .missing: .fault("\(path), which \(file) names, is not there", "Make it, mode 0600.")
        case .symbolicLink:
            .fault("\(path) is a symbolic link", "Name the file itself: a link can be turned.")
        case .notRegular: .fault("\(path) is no regular file", "Put the secret in a file.")
        case .tooLarge: .fault("\(path) is too long for a secret", "Is this the right file?")
        case .wrongMode:
            .fault("\(path) can be read or written by others", "chmod 600 \(path)")
        case .wrongOwner, .forbidden, .system:
            .unseen("\(path) is not ours to look at", "Run this as the user of the process.")
        }
    }
}
