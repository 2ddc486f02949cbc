internal import Domain

/// Why no key was made.
package enum KeyVaultError: Error, Hashable { case unwritable, unavailable }
