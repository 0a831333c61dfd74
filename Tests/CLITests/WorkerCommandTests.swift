import Testing
import TestSupport

@Suite("A worker answers every message")
struct WorkerCommandTests {
    @Test("A job that cannot be read fails at once, and the worker goes on")
    func unreadableJob() throws {
        let outcome = try Tool.shell(
            #"printf '%s\n' '{"pipeline":"","allowsFileFilters":false,"workers":1,"command":[]}' nonsense '{}' | "$0" batch-worker"#,
            in: try TemporaryFolder())
        #expect(outcome.status == 0)
        let answers = outcome.output.split(separator: "\n")
        #expect(answers.count == 2)
        for answer in answers {
            #expect(answer.contains(#"{"failed":{"#))
            #expect(answer.contains("its worker cannot read what to do: "))
            #expect(answer.contains(#""kind":"other""#))
        }
    }

    @Test("A set-up that cannot be read, or that is no pipeline, is said when the first job comes")
    func unreadableSetup() throws {
        for setup in ["nonsense", #"{"pipeline":"x: *y","allowsFileFilters":false,"workers":1,"command":[]}"#] {
            let outcome = try Tool.shell(
                #"printf '%s\n' '\#(setup)' '{}' | "$0" batch-worker"#, in: try TemporaryFolder())
            #expect(outcome.status == 2)
            #expect(outcome.output.hasPrefix(#"{"failed":{"#))
            #expect(outcome.output.contains(#""kind":"setup""#))
        }
    }
}
