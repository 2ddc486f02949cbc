import Fuzzing
import Runtime

/// The target that `FUZZ_TARGET` names.
private let target: Target = {
    let name = Environment.all()["FUZZ_TARGET"] ?? ""
    guard let target = Target.all.first(where: { $0.name == name }) else {
        fatalError("FUZZ_TARGET: one of \(Target.all.map(\.name).joined(separator: " "))")
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ data: UnsafePointer<UInt8>,
    _ count: Int
) -> CInt {
    _ = target.check(unsafe Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}
