internal import VidscanBase

/// When faces were hidden: successive frames in which at least one was.
struct HiddenSpans {
    /// Times are those of the first and the last frame, in seconds.
    struct Span: Encodable, Equatable {
        var fromSeconds: Double
        var toSeconds: Double
        var frames: Int
        /// The most faces that were hidden at once.
        var faces: Int
    }

    private(set) var spans: [Span] = []
    /// Whether the previous frame belongs to the last span.
    private var isOpen = false

    var frameCount: Int { spans.reduce(0) { $0 + $1.frames } }

    /// The same spans on the clock of a video that begins later.
    func shifted(by microseconds: Int64) -> HiddenSpans {
        let moved = { (seconds: Double) in (seconds * 1e6 - Double(microseconds)).rounded() / 1e6 }
        var shifted = self
        for index in spans.indices {
            shifted.spans[index].fromSeconds = moved(spans[index].fromSeconds)
            shifted.spans[index].toSeconds = moved(spans[index].toSeconds)
        }
        return shifted
    }

    /// Adds a frame after all earlier ones.
    mutating func add(faces: Int, at microseconds: Int64) {
        defer { isOpen = faces > 0 }
        guard faces > 0 else { return }
        let seconds = Double(microseconds) / 1e6
        if isOpen, var last = spans.popLast() {
            last.toSeconds = seconds
            last.frames += 1
            last.faces = max(last.faces, faces)
            spans.append(last)
        } else {
            spans.append(Span(fromSeconds: seconds, toSeconds: seconds, frames: 1, faces: faces))
        }
    }
}
