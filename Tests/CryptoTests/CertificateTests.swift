import Crypto
import Testing

@Suite("The end of a certificate") struct CertificateTests {
    private static let text = """
        -----BEGIN CERTIFICATE-----
        MIIBgTCCASegAwIBAgIUCfDGiAZyVSWtyYPj7U4YJJzUPYkwCgYIKoZIzj0EAwIw
        FjEUMBIGA1UEAwwLZXhhbXBsZS5jb20wHhcNMjYxMTMwMTQyOTI1WhcNMzYxMTI3
        MTQyOTI1WjAWMRQwEgYDVQQDDAtleGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABIYv/TI9hYwuh7Cr07mJmf76Bp3Gyfem1PKoaM7k7Jx1OiaRKq/H
        n/4rFKMoFfPCTNZJpMumVYoGqIcXZd+eHiejUzBRMB0GA1UdDgQWBBRaR0vRqCFC
        mfGmTQSvDx+wncblLzAfBgNVHSMEGDAWgBRaR0vRqCFCmfGmTQSvDx+wncblLzAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIBshTLWi29MT95U3Jd2O
        C/m54Vp7rPrxaaUSL2f3LxSVAiEAj9nX7EKhFHqjA59wnA0sNJlfdMQhnqsrKYxf
        EzGLCZw=
        -----END CERTIFICATE-----
        """

    @Test("is that of the first in the file, in seconds") func end() {
        let others = Self.text + "\n-----BEGIN CERTIFICATE-----\nAA==\n"
        #expect(Certificate.end(ofPEM: Array(Self.text.utf8)) == 2_111_408_965)
        #expect(Certificate.end(ofPEM: Array(others.utf8)) == 2_111_408_965)
    }

    @Test("is not known of what is none", arguments: ["", "x", String(text.dropLast(90))])
    func none(_ text: String) {
        #expect(Certificate.end(ofPEM: Array(text.utf8)) == nil)
    }
}
