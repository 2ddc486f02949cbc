internal import COpenSSL

/// A certificate that others read: only its end is looked at here.
package enum Certificate {
    /// Seconds since 1970 from which on the first certificate in a PEM text is not valid any more;
    /// nil: there is none.
    package static func end(ofPEM text: [UInt8]) -> Int64? {
        let end = unsafe text.withUnsafeBytes { bytes -> Int64 in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { unsafe BIO_free(source) }
            let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil)
            defer { unsafe X509_free(certificate) }
            return unsafe copenssl_certificate_end(certificate)
        }
        ERR_clear_error()
        return end < 0 ? nil : end
    }
}
