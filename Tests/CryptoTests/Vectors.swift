import Foundation

/// The bytes of a hexadecimal constant.
func hex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    return stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
    }
}

/// The bytes of a base64url constant.
func base64url(_ text: String) -> [UInt8] {
    var standard = text.replacing("-", with: "+").replacing("_", with: "/").replacing(
        "\n",
        with: ""
    )
    standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Array(Data(base64Encoded: standard) ?? Data())
}

/// The payload of RFC 7515 appendix A.2 and A.3, encoded.
let joe =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

/// The key of RFC 7515 appendix A.2.1.
let rfc7515Modulus = base64url(
    """
    ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrc
    S2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGz
    jb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xs
    mtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8
    q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
    """
)
