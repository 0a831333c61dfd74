import Glibc
import Testing
import TestSupport

@Suite("A limit of processes is an error in one line")
struct ThreadLimitTests {
    @Test(
        "Without the threads that it needs, a command ends before its work",
        arguments: ["analyze \(Checkout.clip) --output out", "batch \(Checkout.clip) --output out"])
    func limited(command: String) throws {
        let folder = try TemporaryFolder()
        // The limit does not apply to root. Another user who may read and write every file has it.
        let user =
            geteuid() == 0
            ? "exec setpriv --reuid=65534 --inh-caps=+dac_override,+dac_read_search"
                + " --ambient-caps=+dac_override,+dac_read_search" : "exec"
        // No process can be started after the limit is set, so it is set last.
        let limited = try Tool.shell("\(user) bash -c 'ulimit -u 5; exec \"$0\" \(command)' \"$0\"", in: folder)
        limited.expectError("cannot start a thread: Resource temporarily unavailable", status: 2)
        #expect(folder.entries == [])
    }
}
