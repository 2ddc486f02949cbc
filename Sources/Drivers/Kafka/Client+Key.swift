internal import CKafka
internal import Runtime

extension Client {
    /// The key in a file that is ours and nobody else may read.
    ///
    /// Whose it is is asked of the file that is open: by its path, librdkafka would read whatever
    /// stands there by then (decision 0237).
    ///
    /// Blocking, and on a loop: some KiB of a local file, beside which librdkafka reads certificate
    /// and authorities in the same call.
    ///
    /// - Throws: `.configuration`; `.unavailable` when the system may let it be read later.
    static func key(in path: String) throws(KafkaError) -> Secret {
        let key: Secret
        do throws(FileReading.Failure) {
            key = try FileReading.secret(at: path, bytesMax: KafkaClientSettings.keyBytesMax)
        } catch {
            if case .system(let why) = error, why.isPassing {
                throw .unavailable(KafkaCode(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE))
            }
            throw .configuration("\(path): \(error)")
        }
        // A text ends at a NUL; and with an empty one librdkafka shows the brokers nobody.
        let isText = key.withBytes { bytes in
            for index in bytes.indices where bytes[index] == 0 { return false }
            return !bytes.isEmpty
        }
        guard isText else { throw .configuration("\(path): it holds no key") }
        return key
    }

    /// False when one of them cannot be used; then `reason` says why.
    static func set(
        _ properties: [String: String],
        _ key: Secret?,
        in configuration: OpaquePointer?,
        _ reason: inout [CChar]
    ) -> Bool {
        for (name, value) in properties {
            let answer = unsafe rd_kafka_conf_set(configuration, name, value, &reason, 512)
            guard answer == RD_KAFKA_CONF_OK else { return false }
        }
        guard let key else { return true }
        return key.withBytes { unsafe take($0, into: configuration, &reason) }
    }

    private static func take(
        _ key: Span<UInt8>,
        into configuration: OpaquePointer?,
        _ reason: inout [CChar]
    ) -> Bool {
        unsafe key.withUnsafeBufferPointer { key in
            unsafe ckafka_set_key(configuration, key.baseAddress, key.count, &reason, 512)
                == RD_KAFKA_CONF_OK
        }
    }
}
