/// The purpose of a video filter.
public enum FilterCategory: String, Sendable, CaseIterable {
    case blur
    case colorAdjustment = "color-adjustment"
    case colorEffect = "color-effect"
    case composite, distortion, generator, geometry, gradient, halftone, sharpen, stylize, tile, transition
    case deinterlace, denoise, analysis, other

    /// The category of a filter; `nil` for a filter that is not in `filter-categories.txt`.
    public static func of(_ filter: String) -> FilterCategory? { byName[filter] }

    private static let byName = Dictionary(table, uniquingKeysWith: { first, _ in first })

    /// The content of `filter-categories.txt`: every filter with its category.
    public static let table: [(filter: String, category: FilterCategory)] = {
        var table: [(filter: String, category: FilterCategory)] = []
        var category: FilterCategory?
        for line in String(decoding: PackageResources.filter_categories_txt, as: UTF8.self).split(separator: "\n")
        where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                category = FilterCategory(rawValue: String(line.dropFirst().dropLast()))
            } else if let category {
                table += line.split(separator: " ").map { (String($0), category) }
            }
        }
        return table
    }()
}
