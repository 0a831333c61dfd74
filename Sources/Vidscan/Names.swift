public import VidscanAnalysis
public import VidscanBase
public import VidscanFaces
public import VidscanMedia

// Types of lower modules in this one's interface, so that `import Vidscan` is enough to name them.

/// All settings of an analysis, nested like a pipeline file.
public typealias Settings = VidscanAnalysis.Settings
/// A contradiction between settings, or a value out of its range.
public typealias SettingsError = VidscanAnalysis.SettingsError
/// All problems of a pipeline file, with their lines and columns.
public typealias PipelineFileError = VidscanAnalysis.PipelineFileError
/// Why an analysis failed: what happened, to which file, and when in the video.
public typealias VidscanError = VidscanBase.VidscanError
/// A measurement of a face, such as `.smile`.
public typealias Metric = VidscanFaces.Metric
/// A blink, a smile, a cut, a face that appears or disappears.
public typealias FaceEvent = VidscanFaces.FaceEvent
/// An interval: a smile, a face in sight, a shot.
public typealias Episode = VidscanFaces.Episode
/// The 478 points of a face.
public typealias FaceMesh = VidscanFaces.FaceMesh
/// What the container says about a video.
public typealias VideoInfo = VidscanMedia.VideoInfo
/// A point in pixels of the upright frame with square pixels, from its top left corner.
public typealias Point = VidscanBase.Point
/// A box in the same space as `Point`.
public typealias Rectangle = VidscanBase.Rectangle
/// A width and a height in pixels.
public typealias PictureSize = VidscanBase.PictureSize
