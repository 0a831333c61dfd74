internal import Foundation
internal import VidscanBase
package import VidscanFaces

/// The start of a `FrameRecordFile`: the layout of its frames and, in a result, everything else the tables follow from.
package struct RecordHeader: Codable, Sendable {
    /// The numbers of a frame and a face, in order, so that a version with other numbers does not misread the file.
    package private(set) var contents = FaceRecordLayout.contents
    package let layout: FaceRecordLayout
    /// `nil` before tracking.
    package private(set) var options: OutputOptions?
    package private(set) var outcome: TrackingOutcome?

    package init(layout: FaceRecordLayout) { self.layout = layout }

    package init(_ options: OutputOptions, _ outcome: TrackingOutcome) {
        layout = FaceRecordLayout(
            hasEvidence: false, hasMesh: options.keepsMeshes, blendshapeCount: options.blendshapeNames?.count ?? 0)
        (self.options, self.outcome) = (options, outcome)
    }

    /// The file starts with these bytes, the length of the JSON as a 32-bit number, and the JSON.
    static let magic = Array("vidscan\n".utf8)

    func bytes() throws(VidscanError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else {
            throw VidscanError(.output, "cannot write the record of the frames", stage: .write)
        }
        return Self.magic + withUnsafeBytes(of: UInt32(json.count), Array.init) + json
    }

    static func read(from input: BinaryFile) throws(VidscanError) -> RecordHeader {
        guard let start = try input.take(12), start.starts(with: magic) else {
            throw input.problem("is not a record of frames", at: 0)
        }
        let length = start.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) }
        guard length <= ReadLimits.record, let json = try input.take(length) else {
            throw input.problem("has no header", at: 8)
        }
        struct Contents: Decodable { let contents: [String] }
        func decode<Value: Decodable>(_ type: Value.Type) throws(VidscanError) -> Value {
            do { return try JSONDecoder().decode(type, from: Data(json)) } catch {
                throw input.problem("its header cannot be read: \(RecordFile.reason(error))", at: 12)
            }
        }
        guard try decode(Contents.self).contents == FaceRecordLayout.contents else {
            throw .result("another version of vidscan wrote \(input.name); analyse the video again")
        }
        let header = try decode(RecordHeader.self)
        let check = RecordCheck(file: input.name)
        let blendshapes = header.layout.blendshapeCount
        try check.require(
            (0...256).contains(blendshapes)
                && header.options.map { $0.blendshapeNames?.count ?? 0 == blendshapes } != false,
            "layout.blendshapeCount", "the number of names, at most 256")
        try header.options?.check(check)
        try header.outcome?.check(check)
        return header
    }
}

/// How the tables of a result follow from its frames and tracks.
package struct OutputOptions: Codable, Sendable, Equatable {
    /// The columns of other metrics stay blank.
    package var metrics: [Metric]
    package var baseline: BaselineScope
    package var isSmoothed: Bool
    package var events: EventOptions
    package var formats: [OutputFormat]
    /// `nil` in records of earlier versions.
    package var openFaceBlanks: OpenFaceBlanks?
    package var hasLandmarks: Bool
    /// The score columns of `blendshapes.csv`; `nil` if the file is not written.
    package var blendshapeNames: [String]?
    /// Whether expressions were measured, even if none are written.
    package var hasExpressions: Bool

    package init(
        metrics: Set<Metric>, baseline: BaselineScope, isSmoothed: Bool, events: EventOptions,
        formats: Set<OutputFormat>, openFaceBlanks: OpenFaceBlanks = .zero, hasLandmarks: Bool,
        blendshapeNames: [String]?, hasExpressions: Bool
    ) {
        self.metrics = Metric.allCases.filter(metrics.contains)
        self.formats = OutputFormat.allCases.filter(formats.contains)
        (self.baseline, self.isSmoothed, self.events) = (baseline, isSmoothed, events)
        (self.hasLandmarks, self.hasExpressions) = (hasLandmarks, hasExpressions)
        (self.blendshapeNames, self.openFaceBlanks) = (blendshapeNames, openFaceBlanks)
    }

    var keepsMeshes: Bool { hasLandmarks || formats.contains(where: \.needsMeshes) }

    fileprivate func check(_ check: RecordCheck) throws(VidscanError) {
        try check.number(events.blinkLongestSeconds, "options.events.blinkLongestSeconds", in: 0...60)
        try check.number(events.smileHoldSeconds, "options.events.smileHoldSeconds", in: 0...60)
        try check.number(events.lookAwayHoldSeconds, "options.events.lookAwayHoldSeconds", in: 0...60)
        try check.require(
            (blendshapeNames ?? []).allSatisfy(Self.isBlendshape), "options.blendshapeNames", "names of blendshapes")
    }

    /// Whether a text can name a blendshape: it becomes a column of a table.
    static func isBlendshape(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0 == "_" || $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0)
            }
    }
}

/// The kept tracks, and the shots between which they were followed.
package struct TrackingOutcome: Codable, Sendable, Equatable {
    /// A face from its first to its last sample, without a cut.
    package struct Track: Codable, Sendable, Equatable {
        package var faceID, personID: Int
        /// 0…1.
        package var personConfidence: Double
        /// Indices of samples, from 0.
        package var firstSample, lastSample: Int
        package var samples: Int
        package var ending: Ending

        package init(
            faceID: Int, personID: Int, personConfidence: Double, firstSample: Int, lastSample: Int, samples: Int,
            ending: Ending
        ) {
            (self.faceID, self.personID, self.personConfidence) = (faceID, personID, personConfidence)
            (self.firstSample, self.lastSample, self.samples) = (firstSample, lastSample, samples)
            self.ending = ending
        }
    }

    package enum Ending: String, Codable, Sendable { case end, cut, discontinuity, left, occluded, corrected }

    /// Track n is at n - 1.
    package var tracks: [Track]
    /// In time order.
    package var changes: [ShotChange]
    package var sampleCount: Int
    /// The mean time between samples in seconds; 0 for a single sample.
    package var interval: Double
    /// The microseconds of the sample before excluded ones, by the index of the one after: no face is seen in between.
    package var timesBeforeGaps: [Int: Int64]

    package init(
        tracks: [Track], changes: [ShotChange], sampleCount: Int, interval: Double, timesBeforeGaps: [Int: Int64] = [:]
    ) {
        (self.tracks, self.changes, self.timesBeforeGaps) = (tracks, changes, timesBeforeGaps)
        (self.sampleCount, self.interval) = (sampleCount, interval)
    }

    fileprivate func check(_ check: RecordCheck) throws(VidscanError) {
        try check.counts("outcome", ["sampleCount": sampleCount])
        try check.number(interval, "outcome.interval", in: ReadLimits.durations)
        try check.require(tracks.count <= ReadLimits.tracks, "outcome.tracks", "at most \(ReadLimits.tracks) tracks")
        let samples = 0...max(sampleCount - 1, 0)
        for (index, track) in tracks.enumerated() {
            let key = "outcome.tracks.\(index)"
            try check.integer(track.faceID, "\(key).faceID", in: ReadLimits.ids)
            try check.integer(track.personID, "\(key).personID", in: ReadLimits.ids)
            try check.number(track.personConfidence, "\(key).personConfidence", in: 0...1)
            try check.integer(track.firstSample, "\(key).firstSample", in: samples)
            try check.integer(track.lastSample, "\(key).lastSample", in: track.firstSample...samples.upperBound)
            try check.integer(track.samples, "\(key).samples", in: 1...max(sampleCount, 1))
        }
        for time in timesBeforeGaps.values {
            try check.integer(time, "outcome.timesBeforeGaps", in: ReadLimits.microseconds)
        }
        for (index, change) in changes.enumerated() {
            try check.integer(change.sample, "outcome.changes.\(index).sample", in: samples)
            try check.number(change.seconds, "outcome.changes.\(index).seconds", in: ReadLimits.seconds)
        }
    }
}
