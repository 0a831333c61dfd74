/// A camera that films a picture from the hand: it sways, rolls and comes closer within seconds, and trembles within
/// tenths of a second.
struct HandheldCamera {
    /// The number of frames after which the motion repeats. A clip of this length loops without a jump.
    static let period = 500

    /// Where in its motion the camera starts, in radians.
    var phase = 0.0

    /// Returns a filter for ffmpeg that moves the camera over the picture. It needs 8 bits per component.
    ///
    /// `perspective` resamples at fractions of a pixel, as `zoompan` and `crop` do not, so that slow motion is smooth.
    /// The camera sees 76 to 84 % of the picture's width and never looks beyond its border.
    var filter: String {
        let corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)].enumerated().map { index, corner in
            "x\(index)=\(x(corner.0, corner.1)):y\(index)=\(y(corner.0, corner.1))"
        }
        return "perspective=" + corners.joined(separator: ":") + ":interpolation=cubic:sense=source:eval=frame"
    }

    /// The roll in radians, up to 3°.
    private var roll: String { "(0.045*\(wave(3))+0.010*\(wave(11)))" }
    private var centerX: String { "(W/2+W*(0.028*\(wave(2))+0.006*\(wave(9))))" }
    private var centerY: String { "(H/2+H*(0.028*\(wave(5))+0.008*\(wave(13))))" }
    /// The part of the picture's width that the camera sees.
    private var visibleFraction: String { "(0.80+0.04*\(wave(1)))" }

    /// Returns the x coordinate, in the picture, of a corner of what the camera sees. The corner is given by signs.
    private func x(_ right: Int, _ down: Int) -> String {
        "\(centerX)+\(visibleFraction)*(\(right)*W/2*cos\(roll)-\(down)*H/2*sin\(roll))"
    }

    private func y(_ right: Int, _ down: Int) -> String {
        "\(centerY)+\(visibleFraction)*(\(right)*W/2*sin\(roll)+\(down)*H/2*cos\(roll))"
    }

    /// Returns a sine that makes so many turns per period.
    private func wave(_ turns: Int) -> String {
        "sin(\(turns)*(2*PI*on/\(Self.period)+\(phase)))"
    }
}
