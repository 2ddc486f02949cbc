/// The schema, as numbered steps that only go forward.
///
/// A step that has been released is never edited: its checksum is in every database that ran it.
/// A new one is a file `NNNN_what.sql`, a line here and a line in `Package.swift`. One that makes
/// an index does nothing else: nothing is published until it is committed (decision 0247).
package enum Migrations {
    /// One step: statements that run in one transaction of their own, as `chancery_owner`.
    package struct Step: Sendable {
        /// Its number, from 1 without gaps.
        package let version: Int32
        /// Its file's name without number and ending.
        package let name: String
        /// The file's bytes, SQL in UTF-8.
        package let sql: [UInt8]
    }

    /// Every step, in order.
    package static let all: [Step] = [
        Step(version: 1, name: "roles", sql: PackageResources._001_roles_sql),
        Step(version: 2, name: "event_store", sql: PackageResources._002_event_store_sql),
        Step(version: 3, name: "append", sql: PackageResources._003_append_sql),
        Step(version: 4, name: "issuer_tables", sql: PackageResources._004_issuer_tables_sql),
        Step(version: 5, name: "revocation", sql: PackageResources._005_revocation_sql),
        Step(version: 6, name: "rights", sql: PackageResources._006_rights_sql),
        Step(version: 7, name: "settings_index", sql: PackageResources._007_settings_index_sql),
        Step(version: 8, name: "progress", sql: PackageResources._008_progress_sql),
        Step(version: 9, name: "stopped_keys", sql: PackageResources._009_stopped_keys_sql),
        Step(version: 10, name: "rebuild", sql: PackageResources._010_rebuild_sql),
        Step(version: 11, name: "opened_streams", sql: PackageResources._011_opened_streams_sql),
        Step(version: 12, name: "upkeep_indexes", sql: PackageResources._012_upkeep_indexes_sql),
        Step(version: 13, name: "rebuild_guards", sql: PackageResources._013_rebuild_guards_sql),
        Step(version: 14, name: "mail_of_keys", sql: PackageResources._014_mail_of_keys_sql),
        Step(version: 15, name: "late_commands", sql: PackageResources._015_late_commands_sql),
        Step(version: 16, name: "endings", sql: PackageResources._016_endings_sql),
        Step(version: 17, name: "model_rights", sql: PackageResources._017_model_rights_sql),
        Step(version: 18, name: "told_cluster", sql: PackageResources._018_told_cluster_sql),
        Step(version: 19, name: "no_time_index", sql: PackageResources._019_no_time_index_sql),
        Step(version: 20, name: "opened_unasked", sql: PackageResources._020_opened_unasked_sql),
        Step(version: 21, name: "drop_before_add", sql: PackageResources._021_drop_before_add_sql),
        Step(version: 22, name: "left_before", sql: PackageResources._022_left_before_sql),
        Step(version: 23, name: "late_at_switch", sql: PackageResources._023_late_at_switch_sql),
        Step(version: 24, name: "brief_upkeep", sql: PackageResources._024_brief_upkeep_sql),
        Step(version: 25, name: "told_topic", sql: PackageResources._025_told_topic_sql),
        Step(version: 26, name: "switch_guards", sql: PackageResources._026_switch_guards_sql),
        Step(version: 27, name: "table_upkeep", sql: PackageResources._027_table_upkeep_sql),
        Step(version: 28, name: "kept_longer", sql: PackageResources._028_kept_longer_sql),
        Step(version: 29, name: "old_keys", sql: PackageResources._029_old_keys_sql),
        Step(version: 30, name: "acknowledged", sql: PackageResources._030_acknowledged_sql),
        Step(version: 31, name: "rewrapped_keys", sql: PackageResources._031_rewrapped_keys_sql),
        Step(version: 32, name: "feed_models", sql: PackageResources._032_feed_models_sql),
        Step(version: 33, name: "strays_apart", sql: PackageResources._033_strays_apart_sql),
        Step(version: 34, name: "guarded_keys", sql: PackageResources._034_guarded_keys_sql),
        Step(version: 35, name: "erased_keys", sql: PackageResources._035_erased_keys_sql),
        Step(version: 36, name: "read_committed", sql: PackageResources._036_read_committed_sql),
        Step(version: 37, name: "drops_apart", sql: PackageResources._037_drops_apart_sql),
        Step(version: 38, name: "model_timelines", sql: PackageResources._038_model_timelines_sql),
    ]
}
