import Foundation
import Testing
import VidscanBase

@Suite("A process is identified by its number and start time")
struct ProcessIdentityTests {
    @Test("This process runs")
    func current() throws {
        let identity = try #require(ProcessIdentity(number: getpid()))
        #expect(identity.isRunning == true)
    }

    @Test("A later process with the same number is another process")
    func reusedNumber() throws {
        let identity = try #require(ProcessIdentity(number: getpid()))
        let earlier = ProcessIdentity(number: identity.number, startTicks: identity.startTicks - 1)
        #expect(earlier.isRunning == false)
        #expect(earlier != identity)
    }

    @Test("A process that has ended does not run, even before its parent reads its exit status")
    func ended() throws {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, nil) == 0)
        let identity = try #require(ProcessIdentity(number: child))
        #expect(identity.isRunning == true)
        kill(child, SIGKILL)
        var information = siginfo_t()
        // The process is a zombie until waitpid.
        #expect(waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == 0)
        #expect(identity.isRunning == false)
        #expect(waitpid(child, nil, 0) == child)
        #expect(identity.isRunning == false)
        #expect(ProcessIdentity(number: child) == nil)
    }
}
