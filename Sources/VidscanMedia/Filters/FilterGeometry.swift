internal import CFFmpeg
internal import Glibc
internal import VidscanBase

/// How a configured graph moves the content of a frame.
enum FilterGeometry {
    /// From input to output pixels. `nil` if the graph branches, or a filter moves content in an unknown or changing way.
    static func map(from source: FilterContext, to sink: FilterContext) -> AffineTransform? {
        var map = AffineTransform.identity
        var current = source
        var input: Link?
        while current != sink {
            guard current.pointee.nb_outputs == 1, let output = current.pointee.outputs[0],
                let next = output.pointee.dst, next.pointee.nb_inputs == 1
            else { return nil }
            if let input {
                guard let step = Step(context: current, input: input, output: output).map else { return nil }
                map = step.after(map)
            }
            (current, input) = (next, output)
        }
        return map
    }

    private typealias Link = UnsafeMutablePointer<AVFilterLink>

    private struct Step {
        let context: FilterContext
        let input, output: Link

        var inWidth: Double { Double(input.pointee.w) }
        var inHeight: Double { Double(input.pointee.h) }
        var outWidth: Double { Double(output.pointee.w) }
        var outHeight: Double { Double(output.pointee.h) }
        /// As powers of two.
        var chromaShift: (x: Int32, y: Int32) {
            let format = AVPixelFormat(input.pointee.format).descriptor
            return (Int32(format?.log2_chroma_w ?? 0), Int32(format?.log2_chroma_h ?? 0))
        }

        var map: AffineTransform? {
            // Switched on and off over time.
            if let enable = option("enable"), !enable.isEmpty { return nil }
            let name = context.pointee.filter.map { String(cString: $0.pointee.name) } ?? ""
            switch name {
            case "crop": return crop
            case "pad": return pad
            case "rotate": return rotation
            case "transpose": return transposition
            case "hflip": return AffineTransform(xx: -1, xy: 0, x: inWidth, yx: 0, yy: 1, y: 0)
            case "vflip": return AffineTransform(xx: 1, xy: 0, x: 0, yx: 0, yy: -1, y: inHeight)
            case "scale", "zscale", "epx", "hqx", "super2xsai", "xbr":
                return AffineTransform(xx: outWidth / inWidth, xy: 0, x: 0, yx: 0, yy: outHeight / inHeight, y: 0)
            default:
                let keepsSize = inWidth == outWidth && inHeight == outHeight
                return keepsSize && FilterTraits.keepsPosition(name) ? .identity : nil
            }
        }

        private var crop: AffineTransform? {
            guard let (x, y) = position else { return nil }
            let left = min(max(0, x.rounded(.toNearestOrEven)), inWidth - outWidth)
            let top = min(max(0, y.rounded(.toNearestOrEven)), inHeight - outHeight)
            if option("exact") == "true" { return Self.shift(-left, -top) }
            return Self.shift(-Self.aligned(left, chromaShift.x), -Self.aligned(top, chromaShift.y))
        }

        private var pad: AffineTransform? {
            guard var (left, top) = position else { return nil }
            left.round(.towardZero)
            top.round(.towardZero)
            // The filter centres a frame that does not fit.
            if left < 0 || left + inWidth > outWidth { left = ((outWidth - inWidth) / 2).rounded(.towardZero) }
            if top < 0 || top + inHeight > outHeight { top = ((outHeight - inHeight) / 2).rounded(.towardZero) }
            return Self.shift(Self.aligned(left, chromaShift.x), Self.aligned(top, chromaShift.y))
        }

        private var position: (x: Double, y: Double)? {
            guard let x = value("x"), let y = value("y") else { return nil }
            return (x, y)
        }

        private static func aligned(_ value: Double, _ shift: Int32) -> Double {
            Double(Int32(value) & ~((1 << shift) - 1))
        }

        private static func shift(_ x: Double, _ y: Double) -> AffineTransform {
            AffineTransform(xx: 1, xy: 0, x: x, yx: 0, yy: 1, y: y)
        }

        /// Clockwise about the centre.
        private var rotation: AffineTransform? {
            guard let angle = value("angle") else { return nil }
            let (sine, cosine) = (sin(angle), cos(angle))
            let (centerX, centerY) = (inWidth / 2, inHeight / 2)
            return AffineTransform(
                xx: cosine, xy: -sine, x: outWidth / 2 - cosine * centerX + sine * centerY, yx: sine, yy: cosine,
                y: outHeight / 2 - sine * centerX - cosine * centerY)
        }

        private var transposition: AffineTransform? {
            let passes =
                switch option("passthrough") {
                case "portrait", "2": inWidth <= inHeight
                case "landscape", "1": inWidth >= inHeight
                default: false
                }
            if passes { return .identity }
            var direction: Int64 = 0
            guard av_opt_get_int(context, "dir", AV_OPT_SEARCH_CHILDREN, &direction) >= 0 else { return nil }
            // 0: mirrored on the main diagonal; 1: clockwise; 2: counter-clockwise; 3: on the other diagonal.
            let (mirrorsX, mirrorsY) = (direction & 1 != 0, direction & 2 != 0)
            return AffineTransform(
                xx: 0, xy: mirrorsX ? -1 : 1, x: mirrorsX ? inHeight : 0, yx: mirrorsY ? -1 : 1, yy: 0,
                y: mirrorsY ? inWidth : 0)
        }

        private func option(_ name: String) -> String? {
            var text: UnsafeMutablePointer<UInt8>?
            guard av_opt_get(context, name, AV_OPT_SEARCH_CHILDREN, &text) >= 0, let text else { return nil }
            defer { av_free(text) }
            return String(cString: text)
        }

        /// `nil` if the value may differ between frames.
        private func value(_ name: String) -> Double? {
            guard let text = option(name) else { return nil }
            let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            guard !words.contains(where: { ["n", "t", "pos", "random"].contains($0) }) else { return nil }
            let display = inWidth / inHeight
            let ratio = input.pointee.sample_aspect_ratio
            let aspect = ratio.num > 0 && ratio.den > 0 ? Double(ratio.num) / Double(ratio.den) : 1
            let variables: [(String, Double)] = [
                ("in_w", inWidth), ("iw", inWidth), ("in_h", inHeight), ("ih", inHeight), ("out_w", outWidth),
                ("ow", outWidth), ("out_h", outHeight), ("oh", outHeight), ("w", outWidth), ("h", outHeight),
                ("a", display), ("sar", aspect), ("dar", display * aspect),
                ("hsub", Double(Int32(1) << chromaShift.x)), ("vsub", Double(Int32(1) << chromaShift.y)),
            ]
            let names = variables.map { strdup($0.0) }
            defer { for name in names { free(name) } }
            let constants = names.map { UnsafePointer($0) } + [nil]
            var result = 0.0
            let code = av_expr_parse_and_eval(
                &result, text, constants, variables.map(\.1) + [0], nil, nil, nil, nil, nil, 0, nil)
            return code >= 0 && result.isFinite ? result : nil
        }
    }
}
