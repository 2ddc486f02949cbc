internal import CPostgres

/// Parameters side by side, as libpq wants to see them for the time of one call.
@safe struct SendBuffer {
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var types: [Oid] = []

    /// Copies the parameters and lends them to `body`, which must not keep the pointers.
    mutating func with<Answer>(
        _ parameters: [Parameter],
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Answer
    ) -> Answer {
        fill(parameters)
        let starts = starts
        let answer = unsafe bytes.withUnsafeBytes { buffer in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe starts.map { start in
                start < 0 ? nil : unsafe base.map { unsafe $0 + start }
            }
            return unsafe body(Int32(clamping: parameters.count), types, values, lengths, formats)
        }
        if bytes.count > Self.keptBytesMax { bytes = [] }
        return answer
    }

    /// What is kept between calls; one batch of events fits.
    private static let keptBytesMax = 2 * 1024 * 1024

    private mutating func fill(_ parameters: [Parameter]) {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        for parameter in parameters {
            types.append(parameter.type.number)
            formats.append(1)
            if let value = parameter.bytes {
                starts.append(bytes.count)
                lengths.append(Int32(clamping: value.count))
                bytes.append(contentsOf: value)
            } else {
                starts.append(-1)
                lengths.append(0)
            }
        }
        // An empty value still needs an address.
        bytes.append(0)
    }
}
