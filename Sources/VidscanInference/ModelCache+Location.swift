internal import Glibc
internal import VidscanBase

extension ModelCache {
    /// Where the environment puts the cache.
    package enum Location: Equatable, Sendable {
        case folder(String)
        /// There is no cache, for this reason.
        case none(String)

        /// The folder that `VIDSCAN_CACHE` names, or none if it is `off`. If it is not set: `vidscan` in the user's
        /// folder for caches, which is `$XDG_CACHE_HOME` or `~/.cache`, as in the XDG Base Directory Specification.
        ///
        /// Never beside the models: an installation belongs to its installer, and a package manager that removes it
        /// would leave the cache behind.
        package init(environment: (String) -> String?) {
            func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
            if let chosen = value("VIDSCAN_CACHE") {
                self = chosen == "off" ? .none("VIDSCAN_CACHE is off") : .folder(FilePath.absolute(chosen))
            } else if let caches = value("XDG_CACHE_HOME"), caches.hasPrefix("/") {
                self = .folder(FilePath.joining(caches, "vidscan"))
            } else if let home = value("HOME"), home.hasPrefix("/") {
                self = .folder(FilePath.joining(home, ".cache/vidscan"))
            } else {
                self = .none("neither VIDSCAN_CACHE, XDG_CACHE_HOME nor HOME is set")
            }
        }

        package static var ofProcess: Location {
            Location { name in getenv(name).map { String(cString: $0) } }
        }
    }

    /// Opens the cache where the environment puts it.
    ///
    /// - Returns: The cache, or in words why there is none.
    public static func ofProcess() -> (cache: ModelCache?, absence: String?) {
        switch Location.ofProcess {
        case .none(let reason): return (nil, reason)
        case .folder(let path):
            do throws(VidscanError) {
                return (try ModelCache(path: path), nil)
            } catch {
                return (nil, error.reason)
            }
        }
    }
}
