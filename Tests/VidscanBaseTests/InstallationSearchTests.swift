import Testing
import VidscanBase

@Suite("A program finds the files that vidscan needs")
struct InstallationSearchTests {
    private func modelFolders(home: String? = nil, program: String) -> [String] {
        Installation.candidates(home: home, program: program).map(\.modelFolder)
    }

    @Test("An installed program searches beside itself, then where packages install")
    func installed() {
        #expect(
            modelFolders(program: "/home/ada/vidscan/bin/vidscan") == [
                "/home/ada/vidscan/share/vidscan/models", "/usr/local/share/vidscan/models",
                "/usr/share/vidscan/models",
            ])
        #expect(
            modelFolders(program: "/usr/bin/vidscan") == [
                "/usr/share/vidscan/models", "/usr/local/share/vidscan/models",
            ])
    }

    @Test("A program that was built in a checkout also searches there")
    func built() {
        let program = "/src/vidscan/.build/x86_64-unknown-linux-gnu/release/vidscan"
        #expect(
            modelFolders(program: program) == [
                "/src/vidscan/.deps/models", "/usr/local/share/vidscan/models", "/usr/share/vidscan/models",
            ])
        #expect(
            Installation.candidates(home: nil, program: program).map(\.libraryFolder).contains(
                "/src/vidscan/.deps/openvino/lib"))
    }

    @Test("An installed program loads no code from folders above its own")
    func aboveIsForeign() {
        let libraries = Installation.candidates(home: nil, program: "/tmp/vidscan/bin/vidscan").map(\.libraryFolder)
        #expect(libraries == ["/tmp/vidscan/lib/vidscan", "/usr/local/lib/vidscan", "/usr/lib/vidscan"])
    }

    @Test("Only a program in a folder bin, or in a build of a checkout, searches above its own folder")
    func copied() {
        for program in [
            "/data/ada/vidscan", "/vidscan", "/data/bin/ada/vidscan", "/data/.build/vidscan", "/a/.build/b/vidscan",
            "/data/.builds/a/b/c/vidscan",
        ] {
            #expect(
                modelFolders(program: program) == ["/usr/local/share/vidscan/models", "/usr/share/vidscan/models"],
                "\(program)")
        }
    }

    @Test("VIDSCAN_HOME is the only place that is searched, if it is set")
    func home() {
        #expect(
            modelFolders(home: "/opt/vidscan", program: "/usr/bin/vidscan") == [
                "/opt/vidscan/share/vidscan/models", "/opt/vidscan/.deps/models",
            ])
        #expect(modelFolders(home: "", program: "/usr/bin/vidscan").count == 2)
    }
}
