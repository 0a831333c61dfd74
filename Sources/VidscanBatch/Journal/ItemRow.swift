internal import GRDB
internal import VidscanResults

/// A row of the table `item`. A type of its own, so that GRDB is not part of this module's interface.
struct ItemRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"

    enum Columns {
        static let resultPath = Column(BatchJournal.Item.CodingKeys.resultPath)
        static let path = Column(BatchJournal.Item.CodingKeys.path)
        static let bytes = Column(BatchJournal.Item.CodingKeys.bytes)
        static let configuration = Column(BatchJournal.Item.CodingKeys.configuration)
        static let status = Column(BatchJournal.Item.CodingKeys.status)
        static let due = Column(BatchJournal.Item.CodingKeys.due)
        static let owner = Column(BatchJournal.Item.CodingKeys.owner)
        static let lease = Column(BatchJournal.Item.CodingKeys.lease)
        static let finished = Column(BatchJournal.Item.CodingKeys.finished)
        static let progress = Column(BatchJournal.Item.CodingKeys.progress)
        static let keptConfiguration = Column(BatchJournal.Item.CodingKeys.keptConfiguration)
    }

    var item: BatchJournal.Item

    init(_ item: BatchJournal.Item) { self.item = item }

    init(from decoder: any Decoder) throws { item = try BatchJournal.Item(from: decoder) }

    func encode(to encoder: any Encoder) throws { try item.encode(to: encoder) }

    /// A registration looks up each of its inputs, so the statement is cached.
    static func fetchOne(_ database: Database, path: String) throws -> BatchJournal.Item? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM item WHERE path = ?")
        return try fetchOne(statement, arguments: [path])?.item
    }

    static func filter(_ statuses: BatchJournal.Status...) -> QueryInterfaceRequest<ItemRow> {
        filter(statuses.map(\.rawValue).contains(Columns.status))
    }
}
