import Foundation
import Vidscan

/// Prints when the faces in a video blink: `swift run -c release embedding movie.mp4`
@main
struct Embedding {
    static func main() async throws {
        guard let path = CommandLine.arguments.dropFirst().first else { return print("usage: embedding VIDEO") }
        var settings = Settings()
        // Blinks last from 0.1 to 0.4 s, so at least 12 samples a second are needed to see them.
        settings.sample.rate = .everyFrame
        do {
            let analyzer = try VideoAnalyzer(settings: settings)
            for try await update in analyzer.updates(for: path) {
                guard case .finished(let summary) = update else { continue }
                for event in summary.events where event.kind == .blink {
                    print("\(event.seconds) s: face \(event.faceID ?? 0) blinks for \(event.durationSeconds ?? 0) s")
                }
                for warning in summary.warnings { print("warning: \(warning)") }
            }
        } catch {
            // One line: what happened, to which file, and why.
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }
}
