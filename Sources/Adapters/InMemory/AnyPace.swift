package import Domain
internal import Issuing

/// Lets every key log in as often as it likes, for tests of something else.
package struct AnyPace: LoginPace {
    package init() {}

    package func wait(for key: StreamID) -> Int? { nil }

    package func countRefused(_ key: StreamID) {}

    package func count(_ key: StreamID) {}
}
