package import Runtime

/// Section `listen`: where clients reach the process.
package struct ListenSettings: Sendable {
    /// Plain HTTP needs a loopback address or `trusted_proxies` (Security 10).
    package let addresses: [SocketAddress]
    /// PEM files; both or none.
    package let certificatePath: String?
    package let keyPath: String?
    /// Proxies whose `X-Forwarded-For` and `-Proto` are believed: addresses or ranges.
    package let trustedProxies: [AddressRange]
    /// The header, in lower case, in which they name where the caller is; for display only.
    package let placeHeader: String?
    /// Unix socket of the inner listener, mode 0600.
    package let innerPath: String?

    /// Reads the section; findings go to its document.
    package init(_ root: Section) {
        let listen = root.section(.listen)
        addresses = listen.strings("public").enumerated().compactMap { index, text in
            if let address = SocketAddress(text) { return address }
            listen.report("public", element: index, "must be an address such as 127.0.0.1:8080")
            return nil
        }
        Self.check(addresses, listen)
        certificatePath = listen.optionalString("tls_certificate_file")
        keyPath = listen.optionalString("tls_key_file")
        innerPath = listen.optionalString("inner")
        if let innerPath, SocketAddress.local(innerPath) == nil {
            listen.report("inner", "must be the path of a socket, at most 107 bytes")
        }
        let proxies = listen.strings("trusted_proxies")
        trustedProxies = proxies.enumerated().compactMap { index, text in
            if let range = AddressRange(text) {
                guard range.isTooWide else { return range }
                let problem = "\(text) is nearly everybody, who could say by a header who they are"
                listen.report("trusted_proxies", element: index, problem)
                return nil
            }
            let example = "must be an address, a range such as 10.0.0.0/8, or unix"
            listen.report("trusted_proxies", element: index, example)
            return nil
        }
        placeHeader = listen.optionalString("place_header").map { $0.lowercased() }
        if let placeHeader { Self.check(placeHeader, listen, hasProxies: !proxies.isEmpty) }
        if addresses.isEmpty {
            listen.report("public", "is required: [\"127.0.0.1:8080\"]", kind: .missing)
        }
        if (certificatePath == nil) != (keyPath == nil) {
            listen.report(nil, "tls_certificate_file and tls_key_file come together")
        }
        if certificatePath == nil, proxies.isEmpty,
            addresses.contains(where: { !$0.isLoopback })
        {
            listen.report("public", "plain HTTP needs a loopback address or trusted_proxies")
        }
    }

    /// An address that another one takes already can never be listened at.
    private static func check(_ addresses: [SocketAddress], _ listen: Section) {
        for (index, address) in addresses.enumerated() {
            if let other = addresses[..<index].first(where: { $0.overlaps(address) }) {
                listen.report("public", "\(other) takes \(address) already: name one of them")
            }
        }
    }

    private static func check(_ header: String, _ listen: Section, hasProxies: Bool) {
        let isName = header.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D
        }
        if !isName || !(1...64 ~= header.utf8.count) {
            listen.report("place_header", "must be a header's name such as x-client-place")
        }
        if ["authorization", "cookie", "dpop", "proxy-authorization"].contains(header) {
            listen.report("place_header", "names a header with secrets")
        }
        if !hasProxies {
            listen.report("place_header", "is believed of trusted_proxies only, and there are none")
        }
    }
}
