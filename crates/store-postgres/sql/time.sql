select cast(floor(extract(epoch from clock_timestamp()) * 1000000) as bigint) as micros
