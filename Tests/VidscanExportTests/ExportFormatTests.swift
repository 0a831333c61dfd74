import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanExport

@Suite("Each format says what the events say")
struct ExportFormatTests {
    /// Two faces of one person and one of another, who smile, blink and look away.
    private static let episodes = [
        "shot,,,0,2.2,0,1,,,,2.2", "visible,1,1,0.2,2,1,1,,,,2", "smile,1,1,0.4,1.4,1,1,88.5,0.6,71.25,1",
        "blink,1,1,1.5,1.66,1,0,95,1.54,80.5,0.16", "shot,,,2.2,9.8,1,0,,,,7.6", "visible,1,2,2.2,9.8,1,0,,,,7.6",
        "visible,2,3,2.2,8,1,1,,,,5.8", "look_away,2,3,3,4.2,0,1,61,3.2,50,1.2",
        "eyes_closed,1,2,5,5.75,0,0,99,5.1,90,0.75",
    ]
    private static let events = [
        "0.2,face_started,1,,,2", "0.4,smile_started,1,67.3,,3", "1.4,smile_stopped,1,1,0.85,3",
        "1.5,blink,1,0.16,1.00,4",
        "2,face_stopped,1,cut,,2", "2.2,shot_cut,,hard,,5", "2.2,face_started,2,,,6", "9.8,face_stopped,2,end,,6",
    ]

    private static func export(_ grouping: Exporter.Grouping = .person) async throws -> ExportedResult {
        try await ExportedResult(
            people: [1: 1, 2: 1, 3: 2], episodes: episodes, events: events,
            samples: ["0,0,0", "0.2,5,1", "0.4,10,2", "10,250,0"],
            faces: ["0.2,5,1,10,20,30.5,40,1", "0.4,10,1,11,20,30,40,1", "0.4,10,3,100,20,30,40,"], grouping: grouping)
    }

    @Test("ELAN has a tier for each person and kind, and finds the video")
    func elan() async throws {
        let document = try await Self.export().document()
        #expect(document.attributes["FORMAT"] == "3.0")
        #expect(document.attributes["DATE"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        #expect(document.media["MEDIA_URL"] == "file:///videos/movie.mp4")
        #expect(document.media["MIME_TYPE"] == "video/mp4")
        #expect(document.media["RELATIVE_MEDIA_URL"]?.hasSuffix("../videos/movie.mp4") == true)
        let slots = Dictionary(uniqueKeysWithValues: document.slots.map { ($0.id, $0.value) })
        let tiers = document.tiers.map { tier in
            (tier.attributes["TIER_ID"] ?? "") + ": "
                + tier.annotations.map { "\($0.value) \(slots[$0.begin] ?? -1)-\(slots[$0.end] ?? -1)" }
                .joined(separator: ", ")
        }
        #expect(
            tiers == [
                "shot: shot 1 0-2200, shot 2 2200-10000",
                "visible@person_1: visible 200-2000, visible (cut off at the end) 2200-9800",
                "blink@person_1: blink (cut off at the end) 1500-1660",
                "eyes_closed@person_1: eyes_closed (cut off at both ends) 5000-5750",
                "smile@person_1: smile 400-1400",
                "visible@person_2: visible 2200-8000",
                "look_away@person_2: look_away (cut off at the start) 3000-4200",
            ])
        #expect(document.tiers[1].attributes["PARTICIPANT"] == "person_1")
        #expect(document.tiers[0].attributes["PARTICIPANT"] == nil)
    }

    @Test("With --by face, each face has its tiers")
    func faces() async throws {
        let names = try await Self.export(.face).document().tiers.map { $0.attributes["TIER_ID"] }
        #expect(
            names == [
                "shot", "visible@face_1", "blink@face_1", "smile@face_1", "visible@face_2", "eyes_closed@face_2",
                "visible@face_3", "look_away@face_3",
            ])
    }

    @Test("Captions name the person, and the metadata track has the boxes of each sample")
    func webVTT() async throws {
        let exported = try await Self.export()
        #expect(
            try exported.text(".vtt").hasPrefix(
                """
                WEBVTT

                shot 1
                00:00:00.000 --> 00:00:02.200
                shot 1

                visible@person_1 1
                00:00:00.200 --> 00:00:02.000
                <v Person 1>visible

                smile@person_1 1
                00:00:00.400 --> 00:00:01.400
                <v Person 1>smile

                """))
        #expect(try exported.text(".vtt").contains("\n<v Person 2>look_away (cut off at the start)\n"))
        #expect(
            try exported.text(".metadata.vtt")
                == """
                WEBVTT

                00:00:00.200 --> 00:00:00.400
                {"frame":5,"faces":[{"face_id":1,"person_id":1,"x":10.00,"y":20.00,"width":30.50,"height":40.00}]}

                00:00:00.400 --> 00:00:10.000
                {"frame":10,"faces":[{"face_id":1,"person_id":1,"x":11.00,"y":20.00,"width":30.00,"height":40.00},{"face_id":3,"person_id":null,"x":100.00,"y":20.00,"width":30.00,"height":40.00}]}

                """)
    }

    @Test("A TextGrid fills the gaps of each tier")
    func textGrid() async throws {
        let exported = try await Self.export()
        let grid = try exported.grid()
        #expect(grid.end == "10.000")
        let blink = try #require(grid.tiers.first { $0.name == "blink@person_1" })
        #expect(
            blink.intervals.map { "\($0.begin)-\($0.end) \($0.label)" } == [
                "0.0-1.5 ", "1.5-1.66 blink (cut off at the end)", "1.66-10.0 ",
            ])
        #expect(
            try exported.text(".TextGrid").hasPrefix(
                "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\n"))
    }

    @Test("BIDS events are in order, with both ids, and their description names every column and level")
    func bids() async throws {
        let exported = try await Self.export()
        let table = try exported.text("_events.tsv")
        #expect(
            table.hasPrefix(
                """
                onset\tduration\ttrial_type\tperson_id\tperson\tface_id\tvalue\tmeasured\tstart_seen\tend_seen\tpeak\tmean\twith
                0.000\t2.200\tshot\tn/a\tn/a\tn/a\tn/a\tn/a\t0\t1\tn/a\tn/a\tn/a
                0.200\t1.800\tvisible\t1\tn/a\t1\tcut\tn/a\t1\t1\tn/a\tn/a\tn/a
                0.400\t1.000\tsmile\t1\tn/a\t1\t67.3\t0.85\t1\t1\t88.50\t71.25\tn/a
                1.500\t0.160\tblink\t1\tn/a\t1\tn/a\t1.00\t1\t0\t95.00\t80.50\tn/a
                2.200\t7.800\tshot\tn/a\tn/a\tn/a\thard\tn/a\t1\t0\tn/a\tn/a\tn/a

                """))
        let description = try JSONSerialization.jsonObject(with: Data(exported.text("_events.json").utf8))
        let columns = try #require(description as? [String: [String: Any]])
        #expect(Set(columns.keys) == Set(table.prefix { $0 != "\n" }.split(separator: "\t").map(String.init)))
        let levels = try #require(columns["trial_type"]?["Levels"] as? [String: String])
        #expect(
            levels.keys.sorted() == [
                "blink", "eyes_closed", "look_away", "mutual_gaze", "nod", "shake", "shot", "smile", "speaks",
                "visible",
                "voice_off_screen",
            ])
    }

    @Test("People have the names that corrections gave them, in every format, and names do no harm")
    func givenNames() async throws {
        let exported = try await ExportedResult(
            people: [1: 1, 2: 2], episodes: ["visible,1,1,1,2,1,1,,,,1", "smile,2,2,1,2,1,1,,,,1,1"],
            names: [1: "Anna <i> ---> B", 2: "person_1"])
        let document = try exported.document()
        #expect(document.tiers.map { $0.attributes["TIER_ID"] } == ["visible@Anna <i> ---> B", "smile@person_2"])
        #expect(document.tiers.map { $0.attributes["PARTICIPANT"] } == ["Anna <i> ---> B", "person_2"])
        #expect(document.tiers[1].annotations.map(\.value) == ["smile with Anna <i> ---> B"])
        let captions = try exported.text(".vtt")
        #expect(
            captions.contains("\nvisible@Anna <i> -→ B 1\n")
                && captions.contains("<v Anna &lt;i&gt; ---&gt; B>visible\n"))
        #expect(try exported.grid().tiers.map(\.name) == ["visible@Anna <i> ---> B", "smile@person_2"])
        #expect(try exported.text(".rttm").contains(" Anna_<i>_--->_B "))
        #expect(try exported.text("_events.tsv").contains("\tvisible\t1\tAnna <i> ---> B\t1\t"))
    }

    @Test("Two people whose names differ only in a blank are two speakers")
    func similarNames() async throws {
        let exported = try await ExportedResult(
            people: [1: 1, 2: 2, 3: 3], episodes: (1...3).map { "visible,\($0),\($0),1,2,1,1,,,,1" },
            names: [1: "P_1", 2: "P 1", 3: "P 2"])
        let speakers = try exported.text(".rttm").split(separator: "\n").map { $0.split(separator: " ")[7] }
        #expect(speakers.sorted() == ["P_2", "person_1", "person_2"])
    }

    @Test("A sign that joins with the next character does not hide it from captions")
    func joinedSigns() async throws {
        let exported = try await ExportedResult(
            people: [1: 1], episodes: ["visible,1,1,1,2,1,1,,,,1"], names: [1: "\u{600}<i>\u{600}--> B"])
        let captions = try exported.text(".vtt")
        #expect(Data(captions.utf8).range(of: Data("<v \u{600}&lt;i&gt;\u{600}--&gt; B>".utf8)) != nil)
        let arrows = captions.utf8.split(separator: UInt8(ascii: "\n")).filter {
            Data($0).range(of: Data("-->".utf8)) != nil
        }
        #expect(arrows.map { String(Substring($0)) } == ["00:00:01.000 --> 00:00:02.000"])
    }

    @Test("RTTM says who is in sight")
    func rttm() async throws {
        #expect(
            try await Self.export().text(".rttm") == """
                SPEAKER movie 1 0.200 1.800 <NA> <NA> person_1 <NA> <NA>
                SPEAKER movie 1 2.200 7.600 <NA> <NA> person_1 <NA> <NA>
                SPEAKER movie 1 2.200 5.800 <NA> <NA> person_2 <NA> <NA>

                """)
    }

    @Test("An episode of two people names the other one, and one without a face is its person's with --by face too")
    func others() async throws {
        let exported = try await ExportedResult(
            episodes: ["smile,2,,1,2,1,1,,,,1,1 3"], events: [], grouping: .face)
        let tier = try #require(try exported.document().tiers.first)
        #expect(tier.attributes["TIER_ID"] == "smile@person_2")
        #expect(tier.annotations.map(\.value) == ["smile with person_1, person_3"])
        #expect(try exported.text("_events.tsv").hasSuffix("\t1 3\n"))
    }

    @Test("A joined annotation is cut off where the one that reaches furthest is")
    func joined() async throws {
        let exported = try await ExportedResult(
            people: [1: 1, 2: 1],
            episodes: [
                "smile,1,1,1,3,0,0,,,,2", "smile,1,2,1,2,1,1,,,,1", "smile,1,1,5,6,1,1,,,,1",
                "smile,1,2,5.5,7,0,0,,,,1",
            ])
        #expect(
            try exported.document().tiers.flatMap(\.annotations).map(\.value) == [
                "smile (cut off at the end)", "smile (cut off at the end)",
            ])
    }

    @Test("A result of an earlier version, without episodes, is refused")
    func withoutEpisodes() async throws {
        let folder = try TemporaryFolder()
        try SyntheticResult.write(
            [SyntheticResult.Track(face: 1, embeddings: [])], to: folder.path + "/old", video: "/a.mp4",
            keepsEmbeddings: false)
        let exporter = Exporter(options: Exporter.Options(formats: [.elan])) { _ throws(VidscanError) in
            throw VidscanError(.setup, "annotations need no model")
        }
        let error = await #expect(throws: VidscanError.self) {
            try await exporter.run(resultPath: folder.path + "/old")
        }
        #expect(error?.reason == "has no episodes.csv: an earlier version analysed the video; analyse it again")
        #expect(!folder.entries.contains { $0.hasSuffix(".eaf") })
    }

    @Test("Something that was seen in one sample lasts until the next, and the tiers reach to the last event")
    func ends() async throws {
        let exported = try await ExportedResult(
            people: [1: 1], episodes: ["visible,1,1,4,4,1,1,,,,1", "blink,1,1,9.9,10.3,1,1,99,10,90,0.4"],
            samples: ["0,0,0", "5,9,0", "10,18,0"])
        let document = try exported.document()
        let slots = Dictionary(uniqueKeysWithValues: document.slots.map { ($0.id, $0.value) })
        let times = document.tiers.flatMap(\.annotations).map { [slots[$0.begin], slots[$0.end]] }
        #expect(times == [[4000, 9000], [9900, 10300]])
    }

    @Test(
        "The last shot ends with the video, or if the time after it was excluded, one interval after its last sample",
        arguments: [(10.0, nil, 10_000), (10.0, 4.2, 5000), (4.5, 4.2, 4500)] as [(Double, Double?, Int)])
    func lastShot(duration: Double, excludedFrom: Double?, end: Int) async throws {
        let exported = try await ExportedResult(
            episodes: ["shot,,,0,4,0,0,,,,4"], samples: (0...4).map { "\($0),\($0),0" }, duration: duration,
            excludedFrom: excludedFrom)
        #expect(try exported.document().slots.map(\.value) == [0, end])
    }

    @Test("The boxes of the last sample are shown no longer than the video")
    func lastBoxes() async throws {
        let exported = try await ExportedResult(
            people: [1: 1], episodes: ["visible,1,1,2,2,1,1,,,,1"], samples: ["0,0,0", "1,1,0", "2,2,1"],
            faces: ["2,2,1,10,20,30,40,1"], duration: 2.5)
        #expect(try exported.text(".metadata.vtt").hasPrefix("WEBVTT\n\n00:00:02.000 --> 00:00:02.500\n{"))
    }

    @Test(
        "The name of the video does no harm",
        arguments: [
            "a <b> & \"c\" ]]>.mp4", "עברית\u{202E}.mp4", "smile 😀.mp4", "line\nbreak\u{1}.mp4", "100%.mov", ".mp4",
            "a--> b.mp4",
        ])
    func names(name: String) async throws {
        let exported = try await ExportedResult(
            people: [1: 1], episodes: ["visible,1,1,1,2,1,1,,,,1"], video: "/videos/\(name)",
            formats: [.elan])
        let entries = exported.folder.entries.filter { $0.hasSuffix(".eaf") }
        #expect(entries.count == 1)
        let reader = try await ExportedResult(
            people: [1: 1], episodes: ["visible,1,1,1,2,1,1,,,,1"], video: "/videos/\(name)")
        let text = try reader.folder.text(try #require(reader.folder.entries.first { $0.hasSuffix(".rttm") }))
        #expect(text.split(separator: "\n").count == 1 && text.split(separator: " ").count == 10)
        let document = try reader.folder.text(try #require(reader.folder.entries.first { $0.hasSuffix(".eaf") }))
        #expect(try XMLDocumentText(document).url == "file:///videos/" + name.replacing("\u{1}", with: "\u{FFFD}"))
    }
}
