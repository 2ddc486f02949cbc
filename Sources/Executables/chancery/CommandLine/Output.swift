import OAuth
import Runtime

/// JSON for `--json`: one object or array on standard output.
enum Output {
    static func say(_ value: JSON) {
        Terminal.say(String(decoding: JSONWriter.write(value), as: UTF8.self))
    }
}
