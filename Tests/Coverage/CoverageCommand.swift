internal import ArgumentParser
internal import Foundation
internal import VidscanBase
internal import VidscanMedia
internal import VidscanVerify

@main
struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vidscan-coverage",
        abstract: "Checks with independent detectors that a video hides all faces of another one.",
        discussion: """
            Detects the faces in every frame of both videos with MediaPipe's two face detectors. Each face of the original \
            must be covered in the anonymized video and must not be detected there. Prints a summary and one line for \
            each face that fails, and exits with status 1 if there is one. Faces that are detected only in the \
            anonymized video are doubtful: check them by eye.

            EXAMPLES
              vidscan-coverage movie.mp4 movie.mp4.vidscan/anonymized.mp4
              vidscan-coverage --kept places.csv movie.mp4 movie.mp4.vidscan/anonymized.mp4
            """)

    @Argument(help: "The original video.")
    var original: String

    @Argument(help: "The anonymized video.")
    var hidden: String

    @Option(help: ArgumentHelp("The folder of the models.", valueName: "folder"))
    var models = ".deps/models"

    @Option(
        help: ArgumentHelp(
            "The fraction of a face that may be visible. BlazeFace's boxes are not exact.", valueName: "share"))
    var tolerance = 0.1

    @Option(
        help: ArgumentHelp(
            "Where a person may stay visible: a CSV file with the columns frame, x, y, width and height, in pixels of the"
                + " original. No other face may be visible.", valueName: "file"))
    var kept: String?

    @Option(help: ArgumentHelp("Minimum number of faces that stay visible, over all frames.", valueName: "count"))
    var leastKept = 0

    @Option(help: ArgumentHelp("Minimum number of faces in the original, over all frames.", valueName: "count"))
    var least = 0

    func run() throws {
        let readers = try [original, hidden].map { path in
            try FrameReader(path: path, options: FrameReader.Options(rate: .everyFrame, skipsUnneededPackets: false))
        }
        let (search, coverage) = (try FaceSearch(models: models, confirmedScore: 0.75), CoverageMeasure())
        let places = try kept.map(KeptRegions.init) ?? KeptRegions()
        var (frames, faces, visible) = (0, 0, 0)
        var (uncovered, seen, doubtful): ([String], [String], [String]) = ([], [], [])
        while let before = try readers[0].next() {
            guard let after = try readers[1].next() else {
                throw CoverageError("\(hidden) has \(frames) frames, but \(original) has more")
            }
            let time = String(format: "%.3f s", Double(before.microseconds) / 1e6)
            let found = try search.faces(in: before)
            for face in found where !places.contain(face, frame: frames) {
                let share = try coverage.visibleFraction(of: face.box, original: before, hidden: after)
                guard share > tolerance else { continue }
                uncovered.append("\(time): \(Int((100 * share).rounded())) % of \(Self.text(face)) is visible")
            }
            for face in try search.faces(in: after) {
                guard !places.contain(face, frame: frames) else {
                    visible += 1
                    continue
                }
                // An ellipse above a collar may look like a face to the detectors, although the original shows no face
                // there.
                if found.contains(where: { $0.box.intersectionOverUnion(with: face.box) > 0.1 }) {
                    seen.append("\(time): \(Self.text(face)) is also found in the anonymized video")
                } else {
                    doubtful.append("\(time): \(Self.text(face)) is found only in the anonymized video; check it")
                }
            }
            frames += 1
            faces += found.count
        }
        guard try readers[1].next() == nil else {
            throw CoverageError("\(hidden) has more than \(frames) frames, but \(original) has \(frames)")
        }
        print(
            "\(original): \(NumberText.count(frames, "frame")), \(NumberText.count(faces, "face")); \(uncovered.count) not covered, \(seen.count) still found,"
                + " \(doubtful.count) doubtful" + (kept == nil ? "" : ", \(visible) kept visible"))
        for line in uncovered + seen + doubtful { print("  " + line) }
        if faces < least {
            throw CoverageError(
                "found \(NumberText.count(faces, "face")) in \(original), but expected at least \(least)")
        }
        if visible < leastKept {
            throw CoverageError(
                "\(NumberText.count(visible, "face")) stayed visible in \(hidden), but expected at least \(leastKept)")
        }
        if !(uncovered + seen).isEmpty { throw ExitCode.failure }
    }

    private static func text(_ face: DetectedFace) -> String {
        let numbers = [face.box.x, face.box.y, face.box.width, face.box.height].map { Int($0.rounded()) }
        return "a face at \(numbers[0]),\(numbers[1]), \(numbers[2])x\(numbers[3]), score "
            + String(format: "%.2f", face.score)
    }
}
