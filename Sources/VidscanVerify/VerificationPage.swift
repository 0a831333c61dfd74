internal import Foundation
internal import VidscanBase

/// The listings of what a verification found.
extension Verification.Findings {
    /// One row per sighting: `time,frame,x,y,width,height,score,stream`. Times are in seconds, boxes in pixels of the upright
    /// frame.
    public var csv: String {
        var writer = ByteWriter()
        writer.write(text: "time,frame,x,y,width,height,score,stream\n")
        for sighting in sightings {
            let box = sighting.box
            writer.write(Double(sighting.microseconds) / 1e6, decimals: 6)
            writer.write(text: ",\(sighting.frame)")
            for value in [box.x, box.y, box.width, box.height] {
                writer.write(text: ",")
                writer.write(value, decimals: 1)
            }
            writer.write(text: ",")
            writer.write(sighting.score, decimals: 3)
            writer.write(text: ",\(sighting.stream)\n")
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The same as JSON, with what was searched and what was not.
    public var json: String {
        let rounded = { (value: Double, places: Double) in JSONValue.number((value * places).rounded() / places) }
        let list = sightings.map { sighting -> JSONValue in
            .object([
                "time": rounded(Double(sighting.microseconds) / 1e6, 1e6), "frame": .integer(Int(sighting.frame)),
                "x": rounded(sighting.box.x, 10), "y": rounded(sighting.box.y, 10),
                "width": rounded(sighting.box.width, 10), "height": rounded(sighting.box.height, 10),
                "score": rounded(sighting.score, 1000), "stream": .integer(sighting.stream),
            ])
        }
        let object = JSONValue.object([
            "frames": .integer(frames), "frames_with_faces": .integer(framesWithFaces), "faces": .list(list),
            "streams": .list(streams.map { .integer($0) }), "not_searched": .list(unsearched.map { .text($0) }),
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Encoding numbers and texts cannot fail.
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// A page with a picture of each episode. It contains everything and loads nothing.
    ///
    /// - Parameter name: The name of the video.
    public func page(name: String) -> String {
        let name = Self.escaped(Printable.line(name))
        let cards = episodes.map { episode -> String in
            let picture =
                episode.picture.map {
                    "<img src=\"data:image/jpeg;base64,\(Data($0).base64EncodedString())\" width=160 height=160 alt=\"\">"
                } ?? "<p>no picture</p>"
            let score = Int((100 * episode.best.score).rounded())
            return
                "<li>\(picture)<b>\(place(of: episode))</b><br>\(NumberText.count(episode.sightings.count, "frame")), score"
                + " \(score) %<br>at \(episode.place)</li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width">
            <title>\(name): faces that may be visible</title>
            <style>
            :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
            body { max-width: 70em; margin: 2em auto; padding: 0 1em }
            ul { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, 180px); gap: 1em }
            img { display: block; border-radius: 6px; background: #8884 }
            </style>
            <h1>\(name)</h1>
            <p>A face may be visible in \(framesWithFaces) of \(NumberText.count(frames, "frame")), at the times below. Watch \
            them: the search is sensitive, and may take a pattern for a face. It can also miss a face, so an empty list is \
            no proof. \(unsearched.isEmpty ? "" : "<b>Not searched: \(Self.escaped(Printable.line(unsearchedText))).</b> ")This page shows faces; delete it when you have checked the video.</p>
            <ul>
            \(cards.joined(separator: "\n"))
            </ul>
            </html>

            """
    }

    /// `stream 2 (dvd_subtitle), a preview in its header`
    public var unsearchedText: String { unsearched.joined(separator: ", ") }

    /// The time of an episode, and its stream if there are several.
    public func place(of episode: Verification.Episode) -> String {
        (streams.count > 1 ? "stream \(episode.best.stream), " : "") + episode.span
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension Verification.Episode {
    /// The times of the first and the last sighting in seconds: `2.040–4.000 s`.
    public var span: String {
        let times = [sightings.first, sightings.last].compactMap { $0.map { TimeText.seconds($0.microseconds) } }
        return Set(times).count == 1 ? "\(times[0]) s" : times.joined(separator: "–") + " s"
    }

    /// Where the best sighting is, and how large: `312,96, 120x150`.
    public var place: String {
        let box = best.box
        let numbers = [box.x, box.y, box.width, box.height].map { Int($0.rounded()) }
        return "\(numbers[0]),\(numbers[1]), \(numbers[2])x\(numbers[3])"
    }
}
