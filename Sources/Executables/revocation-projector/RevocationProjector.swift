internal import Assembly

/// The process that tells others what was revoked: read model, `chancery.revocations`, feed.
@main enum RevocationProjector {
    static func main() {
        ProcessFrame.run(
            Wiring.self,
            "revocation-projector",
            "Serves revocations to others; one per database is active."
        )
    }
}
