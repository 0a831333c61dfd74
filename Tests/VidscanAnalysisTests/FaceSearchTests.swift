import AnalysisSupport
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase

@Suite("Faces are found where they are hard to find, and followed between searches")
struct FaceSearchTests {
    /// A film made from the sample clip.
    private struct Film {
        let path: String
        private let folder: TemporaryFolder

        init(start: Double, seconds: Double, filter: String) throws {
            folder = try TemporaryFolder()
            path = folder.path + "/film.mkv"
            let made = try ChildProcess.run([
                "ffmpeg", "-nostdin", "-v", "error", "-ss", "\(start)", "-t", "\(seconds)", "-i", Checkout.clip, "-an",
                "-vf", filter, "-c:v", "ffv1", path,
            ])
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    private static func faces(
        _ film: Film, configure: (inout Settings) throws -> Void = { _ in }
    ) async throws -> [TableFace] {
        try await AnalysisRun(film.path) {
            $0.sample.rate = .everyFrame
            try configure(&$0)
        }.table("faces.csv").faces()
    }

    /// Twelve times one frame of the sample clip, cropped around its face of 88 × 108 pixels.
    private static func closeUp(width: Int, height: Int, size: String) throws -> Film {
        try Film(
            start: 2, seconds: 0.04,
            filter: "crop=\(width):\(height):\(168 - width / 2):\(209 - height / 2),scale=\(size):flags=bicubic,"
                + "loop=11:1,setpts=N/25/TB")
    }

    @Test(
        "A face that fills the frame is found in every frame, in landscape, square and portrait",
        arguments: [
            (192, 108, "640x360"), (128, 72, "640x360"), (110, 62, "640x360"), (96, 54, "640x360"),
            (108, 108, "480x480"), (86, 86, "480x480"), (68, 68, "480x480"), (62, 108, "360x640"),
            (54, 96, "360x640"),
        ])
    func closeUps(width: Int, height: Int, size: String) async throws {
        let faces = try await Self.faces(try Self.closeUp(width: width, height: height, size: size))
        #expect(faces.map(\.frame) == Array(0..<12))
        let frame = size.split(separator: "x").compactMap { Double($0) }
        let scale = frame[0] / Double(width)
        let (left, top) = (168 - Double(width / 2), 209 - Double(height / 2))
        let truth = Rectangle(
            x: (124.28 - left) * scale, y: (155.23 - top) * scale, width: 87.85 * scale, height: 107.97 * scale
        ).clamped(to: PictureSize(width: Int(frame[0]), height: Int(frame[1])))
        for face in faces { #expect(face.box.intersectionOverUnion(with: truth) > 0.5, "frame \(face.frame)") }
    }

    @Test("A face in the dark is found where it is in the light")
    func dark() async throws {
        let bright = try await Self.faces(try Film(start: 1, seconds: 1, filter: "null"))
        let dark = try await Self.faces(
            try Film(
                start: 1, seconds: 1,
                filter: "format=yuv444p,lutyuv=y=16+(val-16)*0.02:u=128+(val-128)*0.02:v=128+(val-128)*0.02"))
        #expect(bright.count == 25 && dark.map(\.frame) == bright.map(\.frame))
        for (face, expected) in zip(dark, bright) {
            #expect(face.box.intersectionOverUnion(with: expected.box) > 0.6, "frame \(face.frame)")
        }
    }

    @Test(
        "Faces that are upside down are found in every frame, and their roll says so",
        arguments: [
            (1, "scale=240:136", PictureSize(width: 240, height: 136), 1),
            (12, "gblur=2", PictureSize(width: 640, height: 360), 2),
        ])
    func upsideDown(start: Double, filter: String, size: PictureSize, faceCount: Int) async throws {
        let upright = try await Self.faces(try Film(start: start, seconds: 1, filter: filter))
        #expect(upright.count == 25 * faceCount)
        let turned = try Film(start: start, seconds: 1, filter: filter + ",hflip,vflip")
        let table = try await AnalysisRun(turned.path) { $0.sample.rate = .everyFrame }.table("faces.csv")
        let faces = try table.faces()
        #expect(faces.count == upright.count)
        for face in faces {
            let box = Rectangle(
                x: Double(size.width) - face.box.x - face.box.width,
                y: Double(size.height) - face.box.y - face.box.height, width: face.box.width, height: face.box.height)
            #expect(
                upright.contains { $0.frame == face.frame && $0.box.intersectionOverUnion(with: box) > 0.7 },
                "frame \(face.frame)")
        }
        #expect(try table.numbers("roll").allSatisfy { abs($0) > 170 })
    }

    @Test(
        "A face that is turned upside down by a cut is found in every frame", arguments: [false, true])
    func turnedByCut(isThorough: Bool) async throws {
        let film = try Film(
            start: 1, seconds: 2,
            filter: "scale=240:-2,split[a][b];[a]trim=duration=1,setpts=PTS-STARTPTS[c];"
                + "[b]trim=start=1,setpts=PTS-STARTPTS,hflip,vflip[d];[c][d]concat")
        let faces = try await Self.faces(film) { if isThorough { $0.detectThoroughly() } }
        #expect(Set(faces.map(\.frame)) == Set(0..<50))
    }

    @Test("A face that is too small for a mesh is kept from the minimum confidence on, unmeasured")
    func small() async throws {
        // Two faces, 10 and 11 pixels wide, which score 0.34 and 0.41. The mesh fits the second one only.
        let film = try Film(start: 12, seconds: 0.04, filter: "scale=72:-2:flags=area")
        let table = try await AnalysisRun(film.path) { $0.detect.minimumConfidence = 0.3 }.table("faces.csv")
        #expect(try table.numbers("presence").map { $0 >= 0.5 } == [false, true])
        #expect(try table.texts("yaw").map(\.isEmpty) == [true, false])
        #expect(try await Self.faces(film) { $0.detect.minimumConfidence = 0.38 }.count == 1)
    }

    @Test("A face that is too small for scores still says what is covered")
    func smallMask() async throws {
        // The same face twice, its eyes 15 pixels apart; the right one has a white box over mouth and nose.
        let film = try Film(
            start: 2, seconds: 0.04,
            filter: "scale=160:-2:flags=area,split[a][b];[b]drawbox=33:50:20:16:t=fill:color=white[c];[a][c]hstack")
        let table = try await AnalysisRun(film.path) { $0.track.minimumSamples = 1 }.table("faces.csv")
        let faces = zip(try table.numbers("x"), try table.numbers("mouth_covered")).sorted { $0.0 < $1.0 }
        #expect(faces.map { $0.1 >= 50 } == [false, true])
        #expect(try table.texts("smile").allSatisfy(\.isEmpty))
    }

    @Test("A face that comes and goes between two anchors is found if every sample is searched")
    func brief() async throws {
        // The face is in view in frames 3 and 4; the anchors are frames 0, 8 and 12.
        let film = try Film(
            start: 2, seconds: 0.04,
            filter: "loop=12:1,setpts=N/25/TB,drawbox=80:90:180:190:t=fill:color=gray:enable='not(between(n,3,4))'")
        let searched = try await Self.faces(film) { $0.detect.stride = 1 }
        #expect(searched.map(\.frame) == [3, 4])
        #expect(try await Self.faces(film).isEmpty)
    }

    @Test("A face's first and last frames are found, and it has its place in between, as if every sample were searched")
    func followed() async throws {
        // A face that moves, appears in the middle of a stride and leaves in the middle of another.
        let film = try Film(
            start: 0, seconds: 3, filter: "drawbox=t=fill:color=gray:enable='lt(n,11)+gt(n,58)'")
        let searched = try await Self.faces(film) { $0.detect.stride = 1 }
        let followed = try await Self.faces(film)
        #expect(searched.map(\.frame) == Array(11...58))
        #expect(followed.map(\.frame) == Array(11...58))
        for (face, expected) in zip(followed, searched) {
            #expect(face.box.intersectionOverUnion(with: expected.box) > 0.85, "frame \(face.frame)")
        }
    }

    @Test("A newcomer beside a known face is found at the next anchor")
    func newcomer() async throws {
        // The same still scene twice; the right half appears after 1.6 s.
        let film = try Film(
            start: 2, seconds: 0.04,
            filter: "loop=74:1,setpts=N/25/TB,split[a][b];[a][b]hstack,"
                + "drawbox=x=640:w=640:t=fill:color=gray:enable='lt(n,40)'")
        let faces = try await Self.faces(film)
        let right = Set(faces.filter { $0.box.x > 640 }.map(\.frame))
        #expect(right == Set(40..<75))
        #expect(Set(faces.filter { $0.box.x < 640 }.map(\.frame)) == Set(0..<75))
    }
}
