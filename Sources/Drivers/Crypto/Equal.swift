internal import COpenSSL
package import Runtime

/// Compares in a time that depends on the lengths alone (`CRYPTO_memcmp`).
package func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { first in
        unsafe right.withUnsafeBytes { second in
            unsafe CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
        }
    }
}

/// Compares in a time that depends on the lengths alone.
package func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    equal(left.span, right.span)
}

/// Compares a secret in a time that depends on the lengths alone.
package func equal(_ left: Secret, _ right: [UInt8]) -> Bool {
    left.withBytes { equal($0, right.span) }
}
