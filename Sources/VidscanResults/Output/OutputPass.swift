internal import VidscanBase
package import VidscanFaces

package protocol RowConsumer {
    /// Called in time order. `frame` is as it was measured; faces that are not kept have no track.
    func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) async throws
    /// Called once, after the last frame.
    func completed(_ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]) async throws
}

/// The frames of a record. While they are read, their faces get their tracks, unless the record has these.
package struct TrackedFrames: Sendable {
    /// In the file: the index of a frame and of its first face, and the time of the next frame.
    package typealias Position = (frame: Int, face: Int, next: Int64?)
    /// Returns whether the frame counts.
    package typealias Assignment = @Sendable (inout FrameRecord, Position) -> Bool

    let folder, name: String
    let assign: Assignment?

    package init(folder: String, name: String, assign: Assignment? = nil) {
        (self.folder, self.name, self.assign) = (folder, name, assign)
    }

    func forEach(_ body: (FrameRecord) async throws -> Void) async throws {
        let reader = try FrameRecordReader(path: "\(folder)/\(name)")
        var (frameNumber, faceNumber, sequence) = (0, 0, 0)
        var following = try reader.next()
        while var frame = following {
            following = try reader.next()
            try Task.checkCancellation()
            let counts = assign?(&frame, (frameNumber, faceNumber, following?.microseconds)) ?? true
            (frameNumber, faceNumber) = (frameNumber + 1, faceNumber + frame.faces.count)
            guard counts else { continue }
            frame.sequence = sequence
            sequence += 1
            try await body(frame)
        }
    }
}

/// Makes the rows of all tables for an analysis, for merged segments and for a result that is corrected or exported. A
/// window of a few samples smooths boxes and points. The frames are read twice if anybody has resting levels: these
/// follow from the whole video, and collecting them per track in the first pass would take memory that grows with it.
package enum OutputPass {
    package struct Summary: Sendable {
        package var faces = 0, faceIDs = 0, personIDs = 0, events = 0
        /// At which it is known whether a voice can be heard.
        package var framesWithSound = 0
        /// The rows of `quality.csv`, by person_id.
        package var quality: [QualityRow] = []
        /// Whether eyes were measured, but at too low a sampling rate to detect blinks.
        package var lacksBlinks = false

        package init() {}
    }

    /// `model` is loaded only if anybody has resting levels. An error of a consumer ends the pass.
    package static func run(
        _ frames: TrackedFrames, _ outcome: TrackingOutcome, options: OutputOptions, into consumers: [any RowConsumer],
        model: () throws -> ExpressionModel
    ) async throws -> Summary {
        let baseline = try await Baseline(frames, outcome, options: options, model: model)
        let smoother = TrackSmoother(options, outcome, baseline)
        var closures = EyeClosures(outcome, baseline, longestBlinkSeconds: options.events.blinkLongestSeconds)
        var aggregator = TrackAggregator(options, outcome, baseline)
        var summary = Summary()
        var window: [TrackSmoother.Entry] = []
        var (current, shot) = (0, 0)
        func writeCurrent() async throws {
            let entry = window[current]
            var rows = smoother.rows(window, at: current)
            FaceRow.lookAtPeople(&rows, in: entry.frame.size)
            aggregator.add(rows, of: entry.frame, shot: entry.shot)
            summary.faces += rows.count
            if entry.frame.voice != nil { summary.framesWithSound += 1 }
            for consumer in consumers { try await consumer.tracked(entry.frame, shot: entry.shot + 1, rows: rows) }
            current += 1
        }
        func enter(_ frame: FrameRecord) async throws {
            if shot < outcome.changes.count, outcome.changes[shot].sample == frame.sequence { shot += 1 }
            window.append(TrackSmoother.Entry(frame: frame, shot: shot))
            while current < window.count, smoother.isBeyondWindow(window[current].frame, frame) {
                try await writeCurrent()
            }
            while current > 0, smoother.isBeyondWindow(window[0].frame, window[min(current, window.count - 1)].frame) {
                window.removeFirst()
                current -= 1
            }
        }
        try await frames.forEach { frame in for known in closures.add(frame) { try await enter(known) } }
        for known in closures.finish() { try await enter(known) }
        while current < window.count { try await writeCurrent() }
        let (tracks, people, events, episodes) = aggregator.finish()
        for consumer in consumers { try await consumer.completed(tracks, events, episodes) }
        (summary.faceIDs, summary.events, summary.quality) = (tracks.count, events.count, people)
        summary.personIDs = Set(tracks.compactMap(\.personID)).count
        summary.lacksBlinks = !aggregator.detectsBlinks && aggregator.hasMeasuredEyes
        return summary
    }
}
