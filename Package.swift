// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, over pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig)
}

func core(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/Core/\(name)",
        swiftSettings: settings
    )
}

func driver(_ name: String, over library: String) -> Target {
    .target(
        name: name,
        dependencies: ["Runtime", .byName(name: library)],
        path: "Sources/Drivers/\(name)",
        swiftSettings: settings
    )
}

let allOfCore: [Target.Dependency] = [
    "Domain", "OAuth", "EventFormat", "Issuing", "Projections", "Publishing",
]

func adapter(_ name: String, _ drivers: Target.Dependency..., resources: [Resource] = [])
    -> Target
{
    .target(
        name: name,
        dependencies: allOfCore + ["Runtime"] + drivers,
        path: "Sources/Adapters/\(name)",
        resources: resources,
        swiftSettings: settings
    )
}

func program(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name,
        dependencies: allOfCore + ["Runtime"] + dependencies,
        path: "Sources/Executables/\(name)",
        swiftSettings: settings
    )
}

func tests(
    of name: String,
    _ dependencies: Target.Dependency...,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        exclude: exclude,
        swiftSettings: settings
    )
}

func tests(
    _ name: String,
    _ dependencies: Target.Dependency...,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: ["TestSupport"] + dependencies,
        exclude: exclude,
        swiftSettings: settings
    )
}

/// Only where Tests/Fuzz/run asks for it: libFuzzer brings a main of its own.
let fuzzer: [Target] =
    Context.environment["FUZZ_TARGET"] == nil
    ? []
    : [
        .executableTarget(
            name: "fuzz",
            dependencies: ["Fuzzing", "Runtime"],
            path: "Tests/Fuzz/Main",
            swiftSettings: settings
        )
    ]

let package = Package(
    name: "chancery",
    targets: [
        library("CLinux"),
        library("CPostgres", over: "libpq"),
        library("CKafka", over: "rdkafka"),
        library("COpenSSL", over: "openssl"),
        library("CCurl", over: "libcurl"),
        library("CYAML", over: "yaml-0.1"),

        core("Domain"),
        core("OAuth", "Domain"),
        core("EventFormat", "Domain", "OAuth"),
        core("Issuing", "Domain", "OAuth"),
        core("Projections", "Domain"),
        core("Publishing", "Domain", "OAuth", "EventFormat", "Projections"),

        .target(
            name: "Runtime",
            dependencies: ["CLinux"],
            path: "Sources/Runtime",
            swiftSettings: settings
        ),
        driver("Postgres", over: "CPostgres"),
        driver("Kafka", over: "CKafka"),
        driver("Crypto", over: "COpenSSL"),
        driver("HTTPServer", over: "COpenSSL"),
        driver("HTTPClient", over: "CCurl"),
        driver("YAML", over: "CYAML"),

        adapter("Persistence", "Postgres", "Crypto", resources: [.embedInCode("SQL")]),
        adapter("Messaging", "Kafka"),
        adapter("Signing", "Crypto"),
        adapter("WebAPI", "HTTPServer", resources: [.embedInCode("Assets")]),
        adapter("Delivery", "HTTPClient"),
        adapter("Configuration", "YAML"),
        adapter("InMemory"),
        .target(
            name: "Migrations",
            path: "migrations",
            resources: [
                .embedInCode("0001_roles.sql"),
                .embedInCode("0002_event_store.sql"),
                .embedInCode("0003_append.sql"),
                .embedInCode("0004_issuer_tables.sql"),
                .embedInCode("0005_revocation.sql"),
                .embedInCode("0006_rights.sql"),
                .embedInCode("0007_settings_index.sql"),
                .embedInCode("0008_progress.sql"),
                .embedInCode("0009_stopped_keys.sql"),
                .embedInCode("0010_rebuild.sql"),
                .embedInCode("0011_opened_streams.sql"),
                .embedInCode("0012_upkeep_indexes.sql"),
                .embedInCode("0013_rebuild_guards.sql"),
                .embedInCode("0014_mail_of_keys.sql"),
                .embedInCode("0015_late_commands.sql"),
                .embedInCode("0016_endings.sql"),
                .embedInCode("0017_model_rights.sql"),
                .embedInCode("0018_told_cluster.sql"),
                .embedInCode("0019_no_time_index.sql"),
                .embedInCode("0020_opened_unasked.sql"),
                .embedInCode("0021_drop_before_add.sql"),
                .embedInCode("0022_left_before.sql"),
                .embedInCode("0023_late_at_switch.sql"),
                .embedInCode("0024_brief_upkeep.sql"),
                .embedInCode("0025_told_topic.sql"),
                .embedInCode("0026_switch_guards.sql"),
                .embedInCode("0027_table_upkeep.sql"),
                .embedInCode("0028_kept_longer.sql"),
                .embedInCode("0029_old_keys.sql"),
                .embedInCode("0030_acknowledged.sql"),
                .embedInCode("0031_rewrapped_keys.sql"),
                .embedInCode("0032_feed_models.sql"),
                .embedInCode("0033_strays_apart.sql"),
                .embedInCode("0034_guarded_keys.sql"),
                .embedInCode("0035_erased_keys.sql"),
                .embedInCode("0036_read_committed.sql"),
                .embedInCode("0037_drops_apart.sql"),
                .embedInCode("0038_model_timelines.sql"),
            ],
            swiftSettings: settings
        ),

        .target(
            name: "Assembly",
            dependencies: [
                "Runtime", "Domain", "Issuing", "Persistence", "Messaging", "Signing", "WebAPI",
                "Configuration", "Migrations", "Postgres", "Kafka", "HTTPServer", "Crypto",
            ],
            path: "Sources/Executables/Assembly",
            swiftSettings: settings
        ),
        program(
            "token-issuer",
            "Assembly",
            "Persistence",
            "Messaging",
            "Signing",
            "WebAPI",
            "Delivery",
            "Configuration",
            "Postgres",
            "Kafka",
            "Crypto",
            "HTTPServer",
            "HTTPClient"
        ),
        program(
            "event-relay",
            "Assembly",
            "Persistence",
            "Messaging",
            "WebAPI",
            "Configuration",
            "Postgres",
            "Kafka"
        ),
        program(
            "revocation-projector",
            "Assembly",
            "Persistence",
            "Messaging",
            "Signing",
            "WebAPI",
            "Configuration",
            "Postgres",
            "Kafka",
            "Crypto",
            "HTTPServer"
        ),
        program(
            "chancery",
            "Assembly",
            "Persistence",
            "Messaging",
            "Signing",
            "Configuration",
            "Delivery",
            "Postgres",
            "Kafka",
            "Crypto",
            "HTTPClient"
        ),
        .executableTarget(
            name: "dev-broker",
            dependencies: ["Runtime", "CKafka"],
            path: "Sources/Executables/dev-broker",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "check",
            path: "Sources/Tooling/check",
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: allOfCore + ["Runtime", "InMemory"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "Simulation",
            dependencies: allOfCore + ["Runtime", "Persistence", "Postgres", "Crypto", "InMemory"],
            path: "Tests/Simulation",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "simulator",
            dependencies: ["Simulation"],
            path: "Tests/Simulator",
            swiftSettings: settings
        ),
        // Parsers under arbitrary input; the fuzzer itself is made by Tests/Fuzz/run.
        .target(
            name: "Reference",
            path: "Tests/Fuzz/Reference",
            linkerSettings: [.linkedLibrary("http_parser")]
        ),
        .target(
            name: "Fuzzing",
            dependencies: allOfCore + [
                "Runtime", "Crypto", "HTTPServer", "YAML", "Signing", "WebAPI", "Configuration",
                "InMemory", "Reference",
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: settings
        ),
        tests("Fuzz", "Fuzzing"),
        tests(of: "Domain"),
        tests(of: "OAuth", "Domain"),
        tests(of: "EventFormat", "Domain", "OAuth", exclude: ["Golden"]),
        tests(of: "Issuing", "Domain", "OAuth", "InMemory"),
        tests(of: "Projections", "Domain", "EventFormat"),
        tests(
            of: "Publishing",
            "Domain",
            "OAuth",
            "EventFormat",
            "Projections",
            "InMemory",
            "Messaging",
            "Runtime"
        ),
        tests(of: "Runtime"),
        tests(of: "HTTPServer", "Runtime", "COpenSSL"),
        tests(of: "Kafka", "Runtime"),
        tests(of: "Crypto", "Runtime"),
        tests(of: "YAML"),
        tests(of: "HTTPClient", "Runtime"),
        tests(of: "Signing", "Domain", "OAuth", "Issuing", "Crypto", "Runtime"),
        tests(
            of: "Configuration",
            "Domain",
            "OAuth",
            "Issuing",
            "Runtime",
            "WebAPI",
            "HTTPServer",
            "Assembly"
        ),
        tests(
            of: "WebAPI",
            "Domain",
            "OAuth",
            "Issuing",
            "Publishing",
            "HTTPServer",
            "InMemory",
            "Runtime",
            "Signing",
            "Crypto"
        ),
        tests(of: "Delivery", "Domain", "HTTPClient", "InMemory", "Issuing", "Runtime"),
        tests("Architecture", "check"),
        tests("Property", "Domain", "OAuth", "EventFormat", "Projections"),
        tests("Simulation", "Simulation"),
        tests(
            "Conformance",
            "Crypto",
            "EventFormat",
            "Kafka",
            "Runtime",
            "Signing",
            exclude: ["Grants", "Routes"]
        ),
        tests(
            "Integration",
            "Assembly",
            "Configuration",
            "Domain",
            "OAuth",
            "EventFormat",
            "Issuing",
            "Projections",
            "Publishing",
            "Runtime",
            "Persistence",
            "Messaging",
            "Signing",
            "Postgres",
            "Kafka",
            "Crypto",
            "Migrations",
            "InMemory",
            exclude: ["Schema/SQL"]
        ),
        tests(
            "Page",
            "Domain",
            "OAuth",
            "Issuing",
            "Runtime",
            "HTTPServer",
            "WebAPI",
            "Signing",
            "InMemory"
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: allOfCore + [
                "Runtime", "HTTPServer", "Postgres", "Crypto", "Kafka", "Persistence", "Signing",
            ],
            path: "Tests/Benchmarks",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "counts",
            dependencies: allOfCore + [
                "Runtime", "HTTPServer", "Crypto", "Signing", "WebAPI", "InMemory",
            ],
            path: "Tests/Counts",
            exclude: ["run", "table.txt"],
            swiftSettings: settings
        ),
    ] + fuzzer,
    swiftLanguageModes: [.v6]
)
