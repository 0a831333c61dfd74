import AnalysisSupport
import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanRender
import VidscanReport
import VidscanResults

@Suite("Tables, schema, documents and drawings agree")
struct ConsistencyTests {
    private func column(_ name: String, of file: String) throws -> Column {
        let table = try #require(Schema.tables.first { $0.file == file })
        return try #require(table.columns.first { $0.name == name })
    }

    @Test("A metric has the same range in faces.csv and in tracks.csv")
    func ranges() throws {
        for metric in Metric.allCases where !metric.isFlag {
            let range = try column(metric.rawValue, of: "faces.csv").range
            for statistic in ["mean", "median", "max"] {
                #expect(try column("\(metric.rawValue)_\(statistic)", of: "tracks.csv").range == range, "\(metric)")
            }
        }
        // What the statistics rest on.
        for name in Metric.allCases.map(\.rawValue) + ["yaw", "pitch", "roll", "brightness"] {
            #expect(try column("\(name)_samples", of: "tracks.csv").range == "0 and up")
            #expect(try column("\(name)_seconds", of: "tracks.csv").unit == "s")
        }
        for name in ["yaw", "pitch", "roll"] {
            #expect(try column(name, of: "faces.csv").range == column("\(name)_median", of: "tracks.csv").range)
        }
        // The largest head angles with valid expressions, plus 90 degrees for the eyes.
        #expect(try column("gaze_yaw", of: "faces.csv").range == "-130 to 130")
        #expect(try column("gaze_pitch", of: "faces.csv").range == "-120 to 120")
    }

    @Test("The schema states the event limits of the default settings")
    func events() throws {
        let kind = try column("kind", of: "events.csv")
        let meaning = ([kind.meaning] + kind.values.map(\.meaning)).joined(separator: " ")
        let options = EventOptions()
        for words in [
            "at most \(options.blinkLongestSeconds) s",
            "smile above \(Int(options.smileStartsAbove))", "smile below \(Int(options.smileStopsBelow))",
            "more than \(Int(options.lookAwayAboveDegrees)) degrees",
            "for \(options.lookAwayHoldSeconds) s or more", "\(Int(options.blinkMinimumRate)) samples per second",
            "The limits are the defaults",
            "more than \(EventOptions.bridgedSamples) samples and for more than \(EventOptions.bridgedSeconds) s",
        ] {
            #expect(meaning.contains(words), "\(words)")
        }
    }

    @Test("Nods and shakes have a mean, and no peak")
    func nods() throws {
        #expect(try !column("peak", of: "episodes.csv").meaning.contains(/nod|shake|half-cycles/))
        #expect(try column("mean", of: "episodes.csv").meaning.contains("nod, shake: of the half-cycles, in degrees."))
    }

    @Test("The schema and the measurements judge action units alike")
    func actionUnits() throws {
        let measurements = try String(contentsOfFile: Checkout.root + "/docs/measurements.md", encoding: .utf8)
        let areas: KeyValuePairs = [
            Metric.au04: "AU 4, held back | 77, 55 | 0.98", .au06: "6 (0.94)", .au09: "9 (0.86)",
            .au14: "AU 14, all | 23, 68 | 0.93", .au15: "AU 15, held back | 17, 93 | 0.98",
        ]
        for (unit, area) in areas {
            #expect(measurements.contains(area))
            let figure = try #require(area.firstMatch(of: /0\.\d\d/)).output
            #expect(unit.meaning.contains("AUC \(figure)") && !unit.meaning.contains("not validated"), "\(unit)")
        }
    }

    @Test("The schema states the constants of the expression model")
    func constants() throws {
        struct File: Decodable {
            struct Constants: Decodable {
                struct Attention: Decodable { var full_degrees, none_degrees: Double }
                struct Eyes: Decodable { var closure_centre: Double }
                struct Thresholds: Decodable { var dominant_emoji, has_smile: Double }
                var attention: Attention
                var eyes: Eyes
                var thresholds: Thresholds
            }
            var constants: Constants
        }
        let path = Checkout.root + "/Sources/VidscanFaces/Resources/expressions.json"
        let constants = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
            .constants
        #expect(
            Metric.attention.meaning.hasPrefix(
                "100 while the head points within \(Int(constants.attention.full_degrees)) degrees of the camera, 0 from"
                    + " \(Int(constants.attention.none_degrees)) degrees on."))
        #expect(Metric.leftEyeClosed.meaning.contains("openness is \(Int(constants.eyes.closure_centre)) or less"))
        #expect(constants.thresholds.dominant_emoji == Metric.likelyScore)
        #expect(constants.thresholds.has_smile == Metric.smileThreshold)
        #expect(Metric.hasSmile.meaning.contains("smile is above \(Int(Metric.smileThreshold)) "))
    }

    @Test("The documents state the same limits and the same four emotions")
    func documents() throws {
        let measurements = try String(contentsOfFile: Checkout.root + "/docs/measurements.md", encoding: .utf8)
            .replacing("\n", with: " ")
        let names = Metric.namedEmotions.map(\.rawValue)
        #expect(names.count == 4)
        #expect(measurements.contains("\(names.dropLast().joined(separator: ", ")) and \(names[3])."))
        #expect(measurements.contains("a score of \(Int(Metric.likelyScore)) or more"))
        let (yaw, halves) = (ExpressionLimits.maximumYaw, ExpressionLimits.maximumYawOfHalves)
        #expect(
            measurements.contains(
                "Blank beyond \(Int(yaw))° of yaw (\(Int(halves))° for wink, smirk, contempt),"
                    + " \(Int(ExpressionLimits.maximumPitch))° of pitch, or below"
                    + " \(Int(ExpressionLimits.minimumEyePixels)) px between the outer corners of the eyes"))
        #expect(
            measurements.contains(
                "From \(Int(yaw))° to \(Int(ExpressionLimits.maximumYawOfSide))° of yaw, only the side nearer to the camera is"
                    + " measured"))
        #expect(
            measurements.contains("from \(Int(ExpressionLimits.minimumEyePixelsOfSide)) px between the outer corners"))
        #expect(measurements.contains("of \(Int(ExpressionLimits.covered)) or more"))
    }

    @Test("Only the likeliest emotion is named, and only if it is likely")
    func likeliest() {
        let scores: [Metric: Double] = [.sadness: 39, .joy: 49.99]
        #expect(Metric.likeliest(of: Metric.namedEmotions) { scores[$0] } == nil)
        let likely: [Metric: Double] = [.sadness: 50, .joy: 49.99, .disgust: 90]
        #expect(Metric.likeliest(of: Metric.namedEmotions) { likely[$0] }?.metric == .sadness)
        let both: [Metric: Double] = [.sadness: 60, .surprise: 70]
        #expect(Metric.likeliest(of: Metric.namedEmotions) { both[$0] }?.metric == .surprise)
    }

    @Test("A report names an emotion only if it is likely on average", arguments: [39.0, 60.0])
    func report(score: Double) async throws {
        let run = try await AnalysisRun(try Variants.path("oneframe.mp4"))
        let place = run.folder.path + "/" + AnalysisRun.resultName
        let result = try DamagedResult(folder: run.folder, places: [place])
        for name in Metric.namedEmotions {
            let value = name == .sadness ? score : 0
            try result.set("\(name.rawValue)_mean", line: 2, to: "\(value)", in: place + "/tracks.csv", again: true)
        }
        var options = Report.Options()
        options.hasThumbnails = false
        options.video = .none
        _ = try await Report(options: options).run(resultPath: place, replaces: false)
        let page = try run.folder.text(AnalysisRun.resultName + "/report.html")
        #expect(page.contains("sadness \(Int(score))") == (score >= 50))
    }

    @Test("An overlay names an emotion only if it is likely", arguments: [39.0, 60.0])
    func overlay(score: Double) async throws {
        let source = try Variants.path("oneframe.mp4")
        let run = try await AnalysisRun(source)
        let place = run.folder.path + "/" + AnalysisRun.resultName
        let result = try DamagedResult(folder: run.folder, places: [place])
        for name in Metric.namedEmotions {
            let value = name == .sadness ? score : 0
            try result.set(name.rawValue, line: 2, to: "\(value)", in: place + "/faces.csv", again: true)
        }
        try #require(try run.table("faces.csv").rows.count == 1)
        let drawn = try await RenderedRun(run) { $0.overlay = OverlayStyle(elements: [.emotion]) }
        let plain = try RawVideo(source, width: 640, height: 360)
        #expect((plain.frame(0) != (try drawn.pixels().frame(0))) == (score >= 50))
    }
}
