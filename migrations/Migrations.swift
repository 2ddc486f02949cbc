// Replaced by Migrations.swift.
