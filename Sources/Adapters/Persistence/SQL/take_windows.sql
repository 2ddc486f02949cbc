-- take_windows.sql: counts one use in every window, or in none. Row locks in key order.
SELECT limits.take($1, $2, $3, $4);
