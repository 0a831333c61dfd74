internal import ArgumentParser
internal import VidscanBase

/// A position in a video: seconds or `[hh:]mm:ss`.
struct TimeArgument: ExpressibleByArgument {
    let microseconds: Int64

    init?(argument: String) {
        guard let microseconds = DecimalNumber.microseconds(argument) else { return nil }
        self.microseconds = microseconds
    }
}
