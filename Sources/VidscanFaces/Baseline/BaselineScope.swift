/// Whose resting levels emotions, emojis and events are relative to.
public enum BaselineScope: String, Sendable, CaseIterable {
    /// Those of the person, from all of the person's tracks.
    case person
    /// Those of the face_id alone.
    case track
    /// Nobody's: every sample is judged by itself.
    case none
}
