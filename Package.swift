// swift-tools-version: 6.1
import PackageDescription

// Targets depend one way: vidscan -> {Pipeline, Batch}, Pipeline -> {Media, Inference, Faces, Drawing, Report} -> Core.
// Batch needs of these only Report and Core. Media, Inference and Drawing never see each other; only they see C.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// OpenVINO's libraries lie beside an installed binary (bin/../lib/vidscan) or, in a checkout, in .deps.
let runtimePaths: [LinkerSetting] = [
    .unsafeFlags([
        "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib/vidscan",
        "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../../../.deps/openvino/lib",
    ])
]

let package = Package(
    name: "vidscan",
    products: [
        .executable(name: "vidscan", targets: ["vidscan"]),
        .executable(name: "vidscan-bench", targets: ["vidscan-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat libavcodec libavfilter libswscale libavutil"),
        .systemLibrary(name: "COpenVINO", pkgConfig: "vidscan-openvino"),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo"),
        .systemLibrary(name: "CSystem"),
        .target(name: "VidscanCore", swiftSettings: strict),
        .target(name: "CLibavLog", dependencies: ["CFFmpeg"]),
        .target(
            name: "VidscanMedia",
            dependencies: [
                "VidscanCore", "CFFmpeg", "CLibavLog", .product(name: "DequeModule", package: "swift-collections"),
            ],
            resources: [.embedInCode("Resources")], swiftSettings: strict),
        .target(name: "VidscanInference", dependencies: ["VidscanCore", "COpenVINO"], swiftSettings: strict),
        .target(
            name: "VidscanFaces", dependencies: ["VidscanCore"],
            // Set-up puts the weights where the other models lie; a SwiftPM bundle could not be moved.
            exclude: ["Resources"], swiftSettings: strict),
        .target(
            name: "VidscanReport",
            dependencies: ["VidscanCore", .product(name: "Mustache", package: "swift-mustache")],
            resources: [.embedInCode("Resources")], swiftSettings: strict),
        .target(name: "VidscanDrawing", dependencies: ["VidscanCore", "CCairo"], swiftSettings: strict),
        .target(
            name: "VidscanPipeline",
            dependencies: [
                "CSystem", "VidscanCore", "VidscanMedia", "VidscanInference", "VidscanFaces", "VidscanDrawing",
                "VidscanReport", .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        .target(
            name: "VidscanBatch",
            dependencies: [
                "CSystem", "VidscanCore", "VidscanReport", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "vidscan",
            dependencies: [
                "CSystem", "VidscanBatch", "VidscanCore", "VidscanPipeline",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict,
            linkerSettings: runtimePaths),
        .executableTarget(
            name: "vidscan-bench",
            dependencies: [
                "VidscanPipeline",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            linkerSettings: runtimePaths),
        // Judges hidden videos; not installed.
        .executableTarget(
            name: "vidscan-coverage",
            dependencies: [
                "VidscanCore", "VidscanMedia", "VidscanInference",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            linkerSettings: runtimePaths),
        .testTarget(name: "VidscanCoreTests", dependencies: ["VidscanCore"], swiftSettings: strict),
        .testTarget(
            name: "VidscanMediaTests", dependencies: ["VidscanMedia", "CFFmpeg"], swiftSettings: strict,
            linkerSettings: runtimePaths),
        .testTarget(
            name: "VidscanInferenceTests", dependencies: ["VidscanInference"], swiftSettings: strict,
            linkerSettings: runtimePaths),
        .testTarget(
            name: "VidscanFacesTests", dependencies: ["VidscanFaces"], exclude: ["expressions.golden.json"],
            swiftSettings: strict),
        .testTarget(
            name: "VidscanPipelineTests", dependencies: ["VidscanPipeline"], swiftSettings: strict,
            linkerSettings: runtimePaths),
        .testTarget(
            name: "VidscanBatchTests",
            dependencies: ["VidscanBatch", .product(name: "GRDB", package: "GRDB.swift")], swiftSettings: strict),
        .testTarget(
            name: "FuzzRegressionTests",
            dependencies: ["VidscanBatch", "VidscanPipeline", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict, linkerSettings: runtimePaths),
        .testTarget(
            name: "CLITests", dependencies: ["vidscan"], exclude: ["mesh.golden.json"], swiftSettings: strict,
            linkerSettings: runtimePaths),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/fuzz builds vidscan's own modules with counters of their edges and AddressSanitizer, in a scratch folder of its
// own, and a program that feeds them. Nothing else builds that.
if let runtime = Context.environment["VIDSCAN_FUZZER_RUNTIME"] {
    package.targets.removeAll { $0.type == .test }
    for target in package.targets where target.type == .regular || target.type == .executable {
        if target.name == "CLibavLog" {
            target.cSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
        } else {
            target.swiftSettings = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]
        }
    }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "vidscan-fuzz",
            dependencies: [
                "CFuzzer", "VidscanCore", "VidscanMedia", "VidscanPipeline", "VidscanBatch",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Fuzzing", exclude: ["CFuzzer", "Dictionaries"],
            swiftSettings: strict,
            linkerSettings: runtimePaths + [
                .unsafeFlags(["-sanitize=address", "-Xlinker", runtime, "-lstdc++"])
            ]),
    ]
}
