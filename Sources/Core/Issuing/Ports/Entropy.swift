/// Draws unpredictable bytes; tests draw from a seed.
package protocol Entropy: Sendable { func bytes(_ count: Int) -> [UInt8] }
