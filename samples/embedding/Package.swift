// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "embedding",
    dependencies: [.package(name: "vidscan", path: "../..")],
    targets: [
        .executableTarget(
            name: "embedding", dependencies: [.product(name: "Vidscan", package: "vidscan")], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
