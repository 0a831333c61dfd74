public import VidscanBase
public import VidscanFaces
public import VidscanInference
public import VidscanMedia
internal import VidscanRender
public import VidscanResults

/// Everything that an analysis can be told, with its defaults.
public struct AnalysisOptions: Sendable, Equatable {
    /// The long side of the picture that the detector sees.
    public enum Accuracy: String, Sendable, CaseIterable {
        case low, medium, high

        /// Pixels.
        var longSide: Int {
            switch self {
            case .low: 320
            case .medium: 448
            case .high: 640
            }
        }
    }

    /// Which faces are looked for.
    public enum FaceSize: String, Sendable, CaseIterable {
        /// Of people in front of a camera.
        case large
        /// Distant ones too, at twice the detector's resolution.
        case small
    }

    public var rate: SampleGrid.Rate
    /// Microseconds on the video's clock.
    public var start: Int64?
    /// Microseconds on the video's clock, exclusive.
    public var end: Int64?
    /// Only this part of it: a part is written, and no tables. `Joining` makes them of all parts.
    public var segment: VideoSegment?
    public var streamIndex: Int?
    public var accuracy: Accuracy = .medium
    public var faceSize: FaceSize = .large
    /// The most people kept of a video: the most prominent, by size and time in sight; `nil` keeps all.
    public var maximumFaces: Int?
    /// Faces whose longer side is less than this share of the picture's shorter side are left out, 0…1.
    public var minimumFace = 0.0
    /// Of the face that starts a track, 0…1.
    public var minimumConfidence = 0.5
    /// Keep what may be no face too: for hiding faces, one too many is better than one too few.
    public var keepsDoubtfulFaces = false
    public var precision: InferencePrecision = .exact
    /// Faces analysed at the same time; results do not depend on it.
    public var workers: Int
    public var formats: Set<OutputFormat> = [.csv]
    /// What is measured beyond points, pose and light; the rest costs nothing and stays blank.
    public var metrics = Set(Metric.allCases)
    /// Write `landmarks.npy`.
    public var writesLandmarks = false
    /// Write `blendshapes.csv`.
    public var writesBlendshapes = false
    /// How long a face may be out of sight and keep its number, in seconds.
    public var maximumGapSeconds = 1.0
    /// Faces seen in fewer samples are dropped.
    public var minimumTrackSamples = 2
    /// How boxes and points are smoothed over time; `nil` leaves them as they were found.
    public var smoothing: LocalRegression? = LocalRegression()
    public var events = EventOptions()
    /// Which video is made of the result too, if any; needs `csv` among the formats.
    public var render = RenderSettings()
    /// Make a page of the result too; needs `csv` among the formats.
    public var report = ReportSettings()
    public var limits = MediaLimits()
    /// What every sampled picture goes through before faces are looked for.
    public var filters: FilterChain?

    public init(workers: Int) {
        self.workers = workers
        rate = .perSecond(Rational(5, 1) ?? .one)
    }

    /// Looks for faces as thoroughly as hiding them asks for: in every frame, small and doubtful ones too, none left out,
    /// each where it was found.
    public mutating func lookThoroughly() {
        rate = .everyFrame
        faceSize = .small
        minimumConfidence = min(minimumConfidence, AnonymizeRequirements.confidence)
        keepsDoubtfulFaces = true
        minimumTrackSamples = AnonymizeRequirements.trackSamples
        maximumFaces = nil
        minimumFace = 0
        smoothing = nil
    }

    /// The video that is made of the result, if there is to be one.
    var rendering: RenderOptions? {
        var options = render.options()
        options?.limits = limits
        return options
    }

    /// Faces less sure than those that start a track may continue one.
    var candidateConfidence: Double { min(minimumConfidence, max(0.25, minimumConfidence * 0.6)) }

    var tracking: FaceTracker.Options {
        FaceTracker.Options(
            maximumGapSeconds: maximumGapSeconds, startingConfidence: minimumConfidence,
            shapeVariances: FaceShape.betweenVariances)
    }

    /// The detector's input for a picture: how large the picture is in it, and the tensor, whose sides must be multiples
    /// of 32. Pictures are never enlarged.
    func detectorGeometry(for display: PictureSize) -> (picture: PictureSize, tensor: PictureSize) {
        let longSide = accuracy.longSide * (faceSize == .small ? 2 : 1)
        let scale = min(1, Double(longSide) / Double(display.longSide))
        let picture = PictureSize(
            width: max(1, Int((Double(display.width) * scale).rounded())),
            height: max(1, Int((Double(display.height) * scale).rounded())))
        let multiple = FaceDetector.sideMultiple
        let tensor = PictureSize(
            width: (picture.width + multiple - 1) / multiple * multiple,
            height: (picture.height + multiple - 1) / multiple * multiple)
        return (picture, tensor)
    }
}
