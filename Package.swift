// swift-tools-version: 6.1
import PackageDescription

// Targets depend one way:
//
//     vidscan ──► VidscanBatch ──► VidscanReport ──► VidscanResults ──► VidscanFaces ──► VidscanBase
//        ├──────► VidscanPeople ──────┘                   │
//        ├──────► VidscanExport ──────────────────────────┤
//        ├──────► VidscanCorrections ─────────────────────┤
//        ├──────► VidscanVerify ──────────────────────────┤
//        ├──────► VidscanRender ──────────────────────────┤
//        └──────► VidscanAnalysis ────────────────────────┘   └──► VidscanMedia ─────────┘
//                        └──────────► VidscanInference ──────────────────────────────────┘
//
// Vidscan, the library for other packages, is a thin layer over VidscanAnalysis, which ends at tables: the command has
// videos and pages made from them.
// Each C library is visible to one target: FFmpeg to VidscanMedia, OpenVINO to VidscanInference, Cairo to VidscanRender, zlib to
// VidscanReport.
// CPixels has the inner loops over pixels, CNetwork the layers of the networks that run for nearly every sample.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
// Most of a test's time is spent in what it tests, which is optimised. Not so where tests compute references of their own.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]
let tests = strict + unoptimized

let package = Package(
    name: "vidscan",
    products: [
        .library(name: "Vidscan", targets: ["Vidscan"]),
        .executable(name: "vidscan", targets: ["vidscan"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat libavcodec libswresample libswscale libavutil"),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .target(name: "CFFmpegFilter", dependencies: ["CFFmpeg"], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CFFmpegLog", dependencies: ["CFFmpeg"]),
        .target(name: "COpenVINO", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CLinux"),
        .target(name: "CNetwork"),
        .target(name: "CPixels"),
        .target(name: "VidscanBase", dependencies: ["CLinux", "CPixels"], swiftSettings: strict),
        .target(
            name: "VidscanMedia",
            dependencies: [
                "VidscanBase", "CCrypto", "CFFmpeg", "CFFmpegFilter", "CFFmpegLog", "CPixels",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            resources: [.embedInCode("Resources")], swiftSettings: strict),
        .target(
            name: "VidscanInference", dependencies: ["VidscanBase", "VidscanFaces", "CNetwork", "COpenVINO"],
            swiftSettings: strict),
        .target(
            name: "VidscanFaces", dependencies: ["CNetwork", "CPixels", "VidscanBase"],
            // Set-up puts the weights where the other models lie; a SwiftPM bundle could not be moved.
            exclude: ["Resources"], resources: [.embedInCode("Data")], swiftSettings: strict),
        .target(
            name: "VidscanResults", dependencies: ["CLinux", "VidscanBase", "VidscanFaces", "VidscanMedia"],
            swiftSettings: strict),
        .target(
            name: "VidscanRender",
            dependencies: ["CCairo", "VidscanBase", "VidscanFaces", "VidscanMedia", "VidscanResults"],
            swiftSettings: strict),
        .target(
            name: "VidscanReport",
            dependencies: [
                "CZlib", "VidscanBase", "VidscanFaces", "VidscanMedia", "VidscanResults",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Resources")], swiftSettings: strict),
        .target(
            name: "VidscanAnalysis",
            dependencies: [
                "CLinux", "VidscanBase", "VidscanMedia", "VidscanInference", "VidscanFaces", "VidscanResults",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        // What other packages use. No target that it needs has unsafe flags, with which SwiftPM would refuse it.
        .target(
            name: "Vidscan",
            dependencies: [
                "VidscanAnalysis", "VidscanBase", "VidscanFaces", "VidscanMedia", "VidscanResults",
            ],
            swiftSettings: strict),
        .target(
            name: "VidscanBatch",
            dependencies: [
                "CLinux", "VidscanBase", "VidscanReport", "VidscanResults",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        // Searches finished videos for faces that are still visible.
        .target(
            name: "VidscanVerify",
            dependencies: ["VidscanBase", "VidscanMedia", "VidscanInference", "VidscanReport", "VidscanResults"],
            swiftSettings: strict),
        // The only target that sees FoundationXML, which brings libxml2.
        .target(
            name: "VidscanExport", dependencies: ["VidscanBase", "VidscanFaces", "VidscanResults"],
            swiftSettings: strict),
        .target(
            name: "VidscanCorrections", dependencies: ["VidscanBase", "VidscanFaces", "VidscanResults"],
            swiftSettings: strict),
        .target(
            name: "VidscanPeople",
            dependencies: ["VidscanBase", "VidscanFaces", "VidscanMedia", "VidscanReport", "VidscanResults"],
            swiftSettings: strict),
        .executableTarget(
            name: "vidscan",
            dependencies: [
                "CLinux", "VidscanBase", "VidscanMedia", "VidscanResults", "VidscanRender", "VidscanReport",
                "VidscanAnalysis",
                "VidscanBatch", "VidscanCorrections", "VidscanExport", "VidscanPeople", "VidscanVerify",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Judges videos with hidden faces, for scripts/check_coverage.
        .executableTarget(
            name: "vidscan-coverage",
            dependencies: [
                "VidscanBase", "VidscanMedia", "VidscanInference", "VidscanVerify",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Coverage", swiftSettings: strict),
        // What the tests share. Nothing else depends on it.
        .target(
            name: "TestSupport", dependencies: ["VidscanBase"], path: "Tests/TestSupport", swiftSettings: strict),
        // Analyses and videos that the tests of several modules share.
        .target(
            name: "AnalysisSupport",
            dependencies: [
                "TestSupport", "VidscanBase", "VidscanMedia", "VidscanInference", "VidscanResults", "VidscanRender",
                "VidscanAnalysis",
            ],
            path: "Tests/AnalysisSupport", swiftSettings: strict),
        // What is fuzzed: by vidscan-fuzz, and by the tests with inputs that once broke something.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "VidscanBase", "VidscanMedia", "VidscanInference", "VidscanResults", "VidscanRender", "VidscanReport",
                "VidscanAnalysis", "VidscanBatch", "VidscanCorrections", "VidscanExport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(
            name: "VidscanBaseTests", dependencies: ["TestSupport", "VidscanBase", "CPixels"], swiftSettings: tests),
        .testTarget(name: "CNetworkTests", dependencies: ["CNetwork", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "VidscanMediaTests", dependencies: ["TestSupport", "VidscanBase", "VidscanMedia", "CFFmpeg"],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanInferenceTests",
            dependencies: ["CNetwork", "TestSupport", "VidscanBase", "VidscanFaces", "VidscanInference"],
            exclude: [
                "detector.golden.json", "embedding.golden.json", "mesh.golden.json", "speaker.golden.json",
                "voice.golden.json",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanFacesTests", dependencies: ["TestSupport", "VidscanBase", "VidscanFaces"],
            exclude: ["cepstra.golden.json", "crop.golden.json", "expressions.golden.json"],
            swiftSettings: strict),
        .testTarget(
            name: "VidscanResultsTests",
            dependencies: ["TestSupport", "VidscanBase", "VidscanFaces", "VidscanResults"],
            exclude: ["embeddings.golden.npy", "openface.columns.txt", "pyfeat.columns.txt"],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanRenderTests",
            dependencies: [
                "AnalysisSupport", "TestSupport", "VidscanBase", "VidscanFaces", "VidscanResults", "VidscanRender",
                "VidscanAnalysis",
            ], swiftSettings: strict),
        .testTarget(
            name: "VidscanAnalysisTests",
            dependencies: [
                "AnalysisSupport", "TestSupport", "VidscanBase", "VidscanMedia", "VidscanInference", "VidscanFaces",
                "VidscanResults",
                "VidscanRender", "VidscanReport", "VidscanVerify",
                "VidscanAnalysis",
            ], swiftSettings: tests),
        // Imports only Vidscan, as another package would, so it does without MemberImportVisibility.
        .testTarget(
            name: "VidscanTests", dependencies: ["TestSupport", "Vidscan", "VidscanBase"],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")] + unoptimized),
        .testTarget(
            name: "VidscanBatchTests",
            dependencies: ["TestSupport", "VidscanBatch", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanExportTests",
            dependencies: ["TestSupport", "VidscanBase", "VidscanExport", "VidscanFaces", "VidscanResults"],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanCorrectionsTests",
            dependencies: [
                "TestSupport", "VidscanAnalysis", "VidscanBase", "VidscanCorrections", "VidscanFaces",
                "VidscanResults",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "VidscanPeopleTests",
            dependencies: ["TestSupport", "VidscanBase", "VidscanFaces", "VidscanPeople", "VidscanResults"],
            swiftSettings: tests),
        .testTarget(
            name: "FuzzRegressionTests", dependencies: ["TestSupport", "FuzzTargets"], swiftSettings: tests),
        // Runs the command, which is built with the tests. A dependency would have this target compiled last, on one core.
        .testTarget(
            name: "CLITests",
            dependencies: ["CZlib", "TestSupport", "VidscanBase", "VidscanMedia", "VidscanRender"],
            exclude: ["mesh.golden.json", "Transcripts"],
            swiftSettings: tests),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/fuzz builds vidscan's own modules with counters of their edges and AddressSanitizer, in a scratch folder of its
// own, and a program that feeds them. Nothing else builds that.
if let runtime = Context.environment["VIDSCAN_FUZZER_RUNTIME"] {
    package.targets.removeAll { $0.type == .test || ["AnalysisSupport", "TestSupport"].contains($0.name) }
    for target in package.targets
    where target.name != "FuzzTargets" && (target.type == .regular || target.type == .executable) {
        if ["CFFmpegFilter", "CFFmpegLog", "CLinux", "CNetwork", "COpenVINO", "CPixels"].contains(target.name) {
            target.cSettings = [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
        } else {
            target.swiftSettings = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]
        }
    }
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "vidscan-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzzing",
            exclude: ["CFuzzer", "Dictionaries"],
            swiftSettings: strict,
            linkerSettings: [
                .unsafeFlags(["-sanitize=address", "-Xlinker", runtime, "-lstdc++"])
            ]),
    ]
}

// Builds only these test targets and what they depend on, for checks that need few of them.
if let names = Context.environment["VIDSCAN_TEST_TARGETS"] {
    var needed = Set(names.split(separator: " ").map(String.init))
    var open = needed
    while let name = open.popFirst(), let target = package.targets.first(where: { $0.name == name }) {
        for case .byNameItem(let dependency, _) in target.dependencies where needed.insert(dependency).inserted {
            open.insert(dependency)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

// 'make docs' builds the documentation of the libraries. Nothing else needs the plugin, so nothing else downloads it.
if Context.environment["VIDSCAN_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"))
}
