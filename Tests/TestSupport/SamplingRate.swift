import Testing
package import VidscanBase

extension SampleGrid.Rate {
    /// The rate that a text gives; `nil` means every frame.
    package static func of(_ text: String?) throws -> SampleGrid.Rate {
        guard let text else { return .everyFrame }
        return .perSecond(try #require(DecimalNumber.rational(text)))
    }
}
