// swift-tools-version: 6.1
import PackageDescription

// Measures the built program from outside, so it needs nothing of vidscan's own package: 'make bench' builds both.
let package = Package(
    name: "vidscan-benchmarks",
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")],
    targets: [
        .executableTarget(
            name: "vidscan-bench",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")], path: "Sources",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
