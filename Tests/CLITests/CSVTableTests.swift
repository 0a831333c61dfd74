import Testing
import TestSupport

/// Tests of tables rely on this reader.
@Suite("The tests read CSV strictly")
struct CSVTableTests {
    @Test("Quoted fields may hold commas, quotes and line ends")
    func quotes() throws {
        let table = try CSVTable("name,note\na,\"x,\"\"y\"\"\nz\"\r\nb,\n")
        #expect(table.columns == ["name", "note"])
        #expect(table.rows == [["a", "x,\"y\"\nz"], ["b", ""]])
        #expect(try CSVTable(table.text) == table)
    }

    @Test("A field is a text or a number, and a blank one is no number")
    func fields() throws {
        let table = try CSVTable("time,smile\n0.5,\n1,-2.5")
        #expect(try table.numbers("time") == [0.5, 1])
        #expect(try table.number("smile", 0) == nil)
        #expect(try table.number("smile", 1) == -2.5)
        #expect(throws: CSVTable.Malformed(record: 2, reason: "smile is '', which is not a number")) {
            try table.numbers("smile")
        }
        #expect(throws: CSVTable.Malformed(record: 1, reason: "there is no column 'joy'")) { try table.texts("joy") }
    }

    @Test(
        "A malformed file is an error that says where",
        arguments: [
            ("", 1, "there is no header"), ("a,b,a\n", 1, "there are two columns 'a'"),
            ("a,b\n1,2\n3\n", 3, "1 fields instead of 2"), ("a,b\n1,2,3\n", 2, "3 fields instead of 2"),
            ("a,b\n\n", 2, "1 fields instead of 2"), ("a\n\"b\n", 2, "an opening quote without a closing one"),
            ("a\nb\"c\n", 2, "a quote inside a field without quotes"),
            ("a\n\"b\"c\n", 2, "text after a closing quote, or a lone CR"),
            ("a\nb\rc\n", 2, "text after a closing quote, or a lone CR"),
        ])
    func malformed(text: String, record: Int, reason: String) {
        #expect(throws: CSVTable.Malformed(record: record, reason: reason)) { try CSVTable(text) }
    }
}
