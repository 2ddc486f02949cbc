internal import HTTPServer

extension Request {
    /// Whether a page of another site has its visitor's browser send this (decision 0169).
    ///
    /// `takesVisitors`: whether people come here by links of others. `allowed`: the origins whose
    /// pages may call us; the issuer's own need not be among them.
    func isOfForeignPage(
        _ issuer: String,
        takesVisitors: Bool,
        allowed: () -> Set<[UInt8]>
    ) -> Bool {
        let saysSite = headers.contains("sec-fetch-site")
        let saysOrigin = headers.contains("origin")
        guard saysSite || saysOrigin else { return false }
        // No page can write this field. It comes first: a form of ours sends `Origin: null`.
        if let site = headers["sec-fetch-site"],
            site.elementsEqual("same-origin".utf8) || site.elementsEqual("none".utf8)
        {
            return false
        }
        if let origin = headers["origin"],
            origin.elementsEqual(issuer.utf8) || allowed().contains(origin)
        {
            return false
        }
        return !(takesVisitors && isVisit)
    }

    /// Whether somebody comes here with a whole tab, as by a link: what a page may begin with
    /// images, frames and looks ahead, as often as it likes, is none.
    private var isVisit: Bool {
        guard let mode = headers["sec-fetch-mode"], mode.elementsEqual("navigate".utf8),
            let destination = headers["sec-fetch-dest"]
        else { return false }
        return destination.elementsEqual("document".utf8) && !isPrefetch
    }

    /// Whether a browser only looks ahead: nobody has asked for anything yet.
    var isPrefetch: Bool {
        ["sec-purpose", "purpose", "x-moz"].contains { name in
            headers.all(name).contains { value in
                value.split { !Self.isLetter($0) }.contains { word in
                    word.map { $0 | 0x20 }.elementsEqual("prefetch".utf8)
                }
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
}
